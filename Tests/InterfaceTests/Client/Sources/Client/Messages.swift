// What the other files post and observe.

import Foundation
import Notify

struct CartDidChange: NotifyCenter.Message {
    static let channel: NotifyCenter.Channel = "shop.cart"
    var itemCount: Int
    var total: Decimal = 0
    var changed: Date?
}

struct Renamed: NotifyCenter.Message {
    static let channel: NotifyCenter.Channel = "shop.cart"
    static let type = "CartDidChange"
    var itemCount: Int
}

enum Door: String, NotifyCenter.Message {
    case open, closed
    static let channel: NotifyCenter.Channel = "house.door"
}

extension NotifyCenter.MessageIdentifier where Self == NotifyCenter.BaseMessageIdentifier<CartDidChange> {
    static var cartDidChange: Self { .init() }
}

func typeName<Identifier: NotifyCenter.MessageIdentifier>(of _: Identifier) -> String {
    Identifier.MessageType.type
}

func channel<M: NotifyCenter.Message>(of _: M.Type) -> NotifyCenter.Channel { M.channel }

let names = [CartDidChange.type, Renamed.type, Door.type, typeName(of: .cartDidChange)]
