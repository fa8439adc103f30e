// What the shop posts. Another process may have a declaration of its own, in any language.

import Notify

struct CartDidChange: NotifyCenter.Message {
    static let channel: NotifyCenter.Channel = "shop.cart"
    var itemCount: Int
}
