// What became of a post, as those are told who trace it. Collected while it happens, written out when it is told.

import NotifyWire

struct TraceEvent {
    /// A trace, found again when it is time: it may have ended meanwhile.
    struct Reader: Hashable {
        let slot: Int
        let client: UInt64
        let sub: UInt32

        init(_ trace: SubscriptionRef) {
            let peer = trace.pointee.peer
            (slot, client, sub) = (peer.pointee.slot, peer.pointee.client, trace.pointee.number)
        }
    }

    /// A subscription that a message was for.
    struct Receiver: Equatable {
        let client: UInt64
        let pid: Int32
        let uid: UInt32
        let sub: UInt32
        let pattern: [UInt8]

        init(_ subscription: SubscriptionRef) {
            let peer = subscription.pointee.peer
            (client, pid, uid) = (peer.pointee.client, peer.pointee.pid, peer.pointee.uid)
            (sub, pattern) = (subscription.pointee.number, [UInt8](subscription.pointee.pattern))
        }

        func append(to log: inout ByteLog) {
            log.append("\"client\":")
            log.append(client)
            ControlLine.appendMember(to: &log, "pid", UInt64(max(0, pid)))
            ControlLine.appendMember(to: &log, "uid", UInt64(uid))
            ControlLine.appendMember(to: &log, "sub", UInt64(sub))
            pattern.withUnsafeBufferPointer { bytes in
                if let start = bytes.baseAddress {
                    ControlLine.appendMember(to: &log, "pattern", text: ByteSlice(start, bytes.count))
                }
            }
        }
    }

    /// Messages that one subscription has lost, one after the other.
    struct Loss {
        let receiver: Receiver
        let channel: [UInt8]
        let reason: GapReason
        let from: UInt64
        var to: UInt64
        var count: UInt64 = 1

        /// Whether the loss of this message too is told with these.
        mutating func takes(_ sequence: UInt64, of other: Loss) -> Bool {
            guard receiver == other.receiver, reason == other.reason, channel == other.channel, sequence > to else {
                return false
            }
            to = sequence
            count += 1
            return true
        }
    }

    enum Content {
        /// An object, written already.
        case text([UInt8])
        case loss(Loss)
        /// So many events were too many to be kept.
        case missed(UInt64)
    }

    var content: Content
    var readers: [Reader]

    func append(to log: inout ByteLog) {
        switch content {
        case .text(let bytes):
            bytes.withUnsafeBufferPointer { buffer in
                if let start = buffer.baseAddress { log.append(ByteSlice(start, buffer.count)) }
            }
        case .loss(let loss):
            log.append("{\"event\":\"lost\"")
            loss.channel.withUnsafeBufferPointer { bytes in
                if let start = bytes.baseAddress {
                    ControlLine.appendMember(to: &log, "channel", text: ByteSlice(start, bytes.count))
                }
            }
            ControlLine.appendMember(to: &log, "from", loss.from)
            ControlLine.appendMember(to: &log, "to", loss.to)
            ControlLine.appendMember(to: &log, "count", loss.count)
            log.append(",\"reason\":\"")
            log.append(loss.reason.name)
            log.append("\",\"receiver\":{")
            loss.receiver.append(to: &log)
            log.append("}}")
        case .missed(let count):
            log.append("{\"event\":\"missed\"")
            ControlLine.appendMember(to: &log, "count", count)
            log.append("}")
        }
    }
}

/// Why a subscription gets a message, or does not.
enum TraceOutcome: Int, CaseIterable {
    case sent, queued, held, dropped, filtered, notChosen, denied

    var name: StaticString {
        switch self {
        case .sent: "sent"
        case .queued: "queued"
        case .held: "held"
        case .dropped: "dropped"
        case .filtered: "filtered"
        case .notChosen: "not_chosen"
        case .denied: "denied"
        }
    }
}
