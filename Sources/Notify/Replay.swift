// What a new subscription gets of the past.

public import FoundationEssentials
import NotifyWire

extension NotifyCenter {
    /// What a new subscription gets before the live messages: nothing in between is missing, and nothing comes twice.
    ///
    /// How far the past reaches is a matter of the daemon's configuration; where it reaches back less far than was asked
    /// for, a gap of the reason ``Gap/Reason/history`` comes first. What was retained or kept is told apart from what is
    /// new by ``MessageInfo/isReplay``, and ``Event/live`` stands between the two.
    public struct Replay: Sendable, Hashable {
        enum Kind: Sendable, Hashable {
            case none
            case retained
            case last(Int)
            case after(UInt64, epoch: String?)
            case since(Int64)
        }

        let kind: Kind

        /// Nothing: live messages only.
        public static let none = Replay(kind: .none)
        /// The retained message of each matching channel.
        public static let retained = Replay(kind: .retained)

        /// The last `count` messages of each matching channel.
        ///
        /// - Precondition: `count` is at least 1.
        public static func last(_ count: Int) -> Replay {
            precondition(count >= 1, "a replay has at least 1 message, not \(count)")
            return Replay(kind: .last(min(count, Int(Int32.max))))
        }

        /// Everything after a position, for example ``MessageInfo/position`` of the last message that was dealt with.
        ///
        /// - Parameters:
        ///   - position: The last one that is not wanted any more.
        ///   - epoch: ``MessageInfo/epoch`` of the message that the position is of. If the daemon has
        ///     another one by now, a gap of the reason ``Gap/Reason/epoch`` comes first, then everything that is kept.
        public static func after(_ position: UInt64, epoch: String? = nil) -> Replay {
            Replay(kind: .after(min(position, UInt64(Int64.max)), epoch: epoch))
        }

        /// Everything that was accepted at this time or later.
        public static func since(_ date: Date) -> Replay {
            Replay(kind: .since(Timestamps.nanoseconds(date)))
        }

        /// The same in the words of the protocol.
        var onWire: NotifyWire.Replay {
            switch kind {
            case .none: .none
            case .retained: .retained
            case .last(let count): .last(count)
            case .after(let position, let epoch): .after(position: position, epoch: epoch)
            case .since(let time): .since(time)
            }
        }
    }
}
