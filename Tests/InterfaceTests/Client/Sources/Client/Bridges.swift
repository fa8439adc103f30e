// Classic notifications on either side.

import Foundation
import Notify
import NotifyFoundation

func bridges(_ center: NotifyCenter) -> [NotifyCenter.ObservationToken] {
    print(NotifyCenter.payloadKey)
    return [
        center.forward("shop.>", to: .default),
        center.forward(Notification.Name("CartDidChange"), from: .default, to: "shop.cart"),
    ]
}
