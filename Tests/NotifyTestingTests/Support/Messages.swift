// What the tests of this target post.

import Notify

struct CartDidChange: NotifyCenter.Message, Equatable {
    static let channel: NotifyCenter.Channel = "shop.cart"
    var itemCount: Int
}

struct Reminder: NotifyCenter.Message, Equatable {
    static let channel: NotifyCenter.Channel = "calendar.reminder"
    var text = "tea"
}
