// What the access rules allow or deny. The names are the same in the configuration, in errors, in `explain` and on the
// command line.

package enum Right: UInt8, CaseIterable, Sendable {
    /// To post on a channel, now or later, and to forget its retained message.
    case post
    /// To get what is posted on a channel: by subscription, from its history, or its retained message.
    case listen
    /// To see what others do: the daemon's own channels and lists.
    case observe
    /// To make those who post wait for one's full queue.
    case block
    /// To take back what others have scheduled.
    case admin

    package var name: StaticString {
        switch self {
        case .post: "post"
        case .listen: "listen"
        case .observe: "observe"
        case .block: "block"
        case .admin: "admin"
        }
    }

    package init?(_ name: String) {
        guard let right = Self.allCases.first(where: { "\($0.name)" == name }) else { return nil }
        self = right
    }
}

/// A set of rights, one bit each.
package struct RightSet: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package init(_ right: Right) { rawValue = 1 << right.rawValue }

    package init(_ rights: [Right]) { rawValue = rights.reduce(0) { $0 | 1 << $1.rawValue } }

    package static let all = RightSet(Right.allCases)

    package func contains(_ right: Right) -> Bool { rawValue & 1 << right.rawValue != 0 }

    /// In the order in which they are declared.
    package var rights: [Right] { Right.allCases.filter { contains($0) } }
}
