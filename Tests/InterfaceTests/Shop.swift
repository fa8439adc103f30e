// What the examples in doc comments speak of and do not declare.

import Foundation
import Notify

struct CartDidChange: NotifyCenter.Message {
    static let channel: NotifyCenter.Channel = "shop.cart"
    var itemCount: Int
}

struct Presence: NotifyCenter.Message {
    static let channel: NotifyCenter.Channel = "shop.presence"
    var isOnline: Bool
}

struct Reminder: NotifyCenter.Message {
    static let channel: NotifyCenter.Channel = "shop.reminder"
}

struct Leader: NotifyCenter.Message {
    static let channel: NotifyCenter.Channel = "shop.leader"
    var id: Int
}
