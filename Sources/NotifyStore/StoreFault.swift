// Why the store could not do what it was asked, and what follows from that.

package struct StoreFault: Error, Equatable, CustomStringConvertible, Sendable {
    package enum Kind: Sendable {
        /// What the file holds is not, or no longer, a store of ours.
        case damaged
        /// The file cannot be used now: no room, no permission, somebody else has it. It may be sound.
        case unusable
    }

    package var kind: Kind
    package var description: String

    init(_ kind: Kind, _ description: String) {
        (self.kind, self.description) = (kind, description)
    }
}
