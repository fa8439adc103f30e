// What the service gets and says, and whether it is there: a last value that anybody may look up.

import Notify

struct OrderPlaced: NotifyCenter.Message {
    static let channel: NotifyCenter.Channel = "shop.order.placed"
    var number: Int
}

struct OrderPacked: NotifyCenter.Message {
    static let channel: NotifyCenter.Channel = "shop.order.packed"
    var number: Int
}

struct ServicePresence: NotifyCenter.Message {
    static let channel: NotifyCenter.Channel = "shop.packers"
    var isThere: Bool
}
