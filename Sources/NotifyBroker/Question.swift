// What can be asked about others that has no channel: for the access rules each question has a name like one of the daemon's
// own channels, on which the right `observe` is asked for.

import NotifyWire

enum Question {
    case clients
    case subscriptions
    case accounts
    case explain

    var name: ByteSlice {
        let text: StaticString =
            switch self {
            case .clients: "$notifyd.clients"
            case .subscriptions: "$notifyd.subscriptions"
            case .accounts: "$notifyd.accounts"
            case .explain: "$notifyd.explain"
            }
        return ByteSlice(text.utf8Start, text.utf8CodeUnitCount)
    }
}

extension Peer {
    /// Whether it may be told what is about others.
    func mayAsk(_ question: Question) -> Bool { profile.pointee.may(.observe, on: question.name) }
}
