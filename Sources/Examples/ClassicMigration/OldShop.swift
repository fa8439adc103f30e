// A program of many years: a cart that posts classic notifications, and a badge that observes them. Nothing of it has to
// change on the first day.

import Foundation

enum OldShop {
    static let cartDidChange = Notification.Name("shop.cart")

    static func changeCart(itemCount: Int) {
        NotificationCenter.default.post(name: cartDidChange, object: nil, userInfo: ["itemCount": itemCount])
    }

    static func startBadge(_ show: @escaping @Sendable (String) -> Void) -> any NSObjectProtocol {
        NotificationCenter.default.addObserver(forName: cartDidChange, object: nil, queue: nil) { notification in
            show("old badge: \(notification.userInfo?["itemCount"] ?? "?")")
        }
    }
}
