// The same notification as a type: the name is the channel, the keys of userInfo are the properties.

import Notify

struct CartDidChange: NotifyCenter.Message {
    static let channel: NotifyCenter.Channel = "shop.cart"
    var itemCount: Int
}
