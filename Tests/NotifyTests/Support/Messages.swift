// The messages that the tests send.

import Foundation
import Notify

struct CartDidChange: NotifyCenter.Message, Equatable {
    static let channel: NotifyCenter.Channel = "shop.cart"
    var itemCount: Int
    var total: Decimal = 0
}

/// A number on a channel, for order.
struct Tick: NotifyCenter.Message, Equatable {
    static let channel: NotifyCenter.Channel = "clock.tick"
    var number: Int
}

/// The same on another channel.
struct Tock: NotifyCenter.Message, Equatable {
    static let channel: NotifyCenter.Channel = "clock.tock"
    var number: Int
}

extension NotifyCenter.MessageIdentifier where Self == NotifyCenter.BaseMessageIdentifier<CartDidChange> {
    static var cartDidChange: Self { .init() }
}
