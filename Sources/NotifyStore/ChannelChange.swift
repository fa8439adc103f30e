// What a list of operations comes to for one channel: only the end counts, since all of it is written in one piece. A
// message that the history has lost again by then is never written.

import NotifyBroker

struct ChannelChange {
    enum Retained {
        case asBefore
        case none
        case message(position: UInt64)
    }

    /// Everything stored up to here goes.
    var isForgotten = false
    var messages: [StoredMessage] = []
    var retained = Retained.asBefore
    var low: UInt64 = 0
    var sequence: UInt64 = 0
    var keys: [StoredKey] = []
    /// Whether there is something to store, after it was forgotten perhaps.
    var isAlive = false

    mutating func add(_ operation: StoreOperation) {
        isAlive = true
        switch operation {
        case .message(_, let message, let isRetained):
            messages.append(message)
            sequence = message.sequence
            if isRetained { retained = .message(position: message.position) }
        case .clearRetained: retained = .none
        case .trim(_, let low): self.low = max(self.low, low)
        case .remember(_, let key): keys.append(key)
        case .forget: self = ChannelChange(isForgotten: true)
        case .reserve: preconditionFailure("numbers are reserved for all channels together")
        }
    }
}

extension StoreOperation {
    /// nil: of all.
    var channel: [UInt8]? {
        switch self {
        case .message(let channel, _, _), .clearRetained(let channel), .trim(let channel, _), .forget(let channel),
            .remember(let channel, _):
            channel
        case .reserve: nil
        }
    }
}
