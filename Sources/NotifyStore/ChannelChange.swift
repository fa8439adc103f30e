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
    var lost = StoredLoss()
    var sequence: UInt64 = 0
    /// The last of what was forgotten.
    var forgotten = (sequence: UInt64(0), position: UInt64(0))
    /// Whether there is something to store that the channel may begin with, after it was forgotten perhaps.
    var isAlive = false

    mutating func add(_ operation: StoreOperation) {
        switch operation {
        case .message(_, let message, let isRetained):
            isAlive = true
            messages.append(message)
            sequence = max(sequence, message.sequence)
            if isRetained { retained = .message(position: message.position) }
        case .clearRetained: retained = .none
        case .trim(_, let through):
            if through.sequence > lost.sequence { lost = through }
            sequence = max(sequence, through.sequence)
        case .forget(_, let sequence, let position):
            let last = (max(forgotten.sequence, sequence), max(forgotten.position, position))
            self = ChannelChange(isForgotten: true, forgotten: last)
        case .remember, .hold, .release, .rules, .reserve, .epoch: preconditionFailure("not of one channel")
        }
    }
}

extension StoreOperation {
    /// nil: of all.
    var channel: [UInt8]? {
        switch self {
        case .message(let channel, _, _), .clearRetained(let channel), .trim(let channel, _),
            .forget(let channel, _, _):
            channel
        case .remember, .hold, .release, .rules, .reserve, .epoch: nil
        }
    }
}
