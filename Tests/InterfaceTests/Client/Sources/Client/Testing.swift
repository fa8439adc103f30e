// What tests of a client use.

import Foundation
import Notify
import NotifyTesting

func wireForms() throws(NotifyError) {
    let form = try WireForm(of: CartDidChange(itemCount: 2))
    print(form.channel, form.type, form.payload, form.text)
    let other = WireForm(channel: "shop.cart", type: "CartDidChange", payload: #"{"itemCount":2}"#)
    print(form == other, try other.message(as: Renamed.self), try other.message() as Renamed)
}
