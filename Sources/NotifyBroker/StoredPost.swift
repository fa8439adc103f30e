// A post that is made later, as it is kept on disk.

package struct StoredPost: Equatable, Sendable {
    package enum Kind: Int64, Sendable {
        case delay, at, coalesce
    }

    /// Its own for ever; what `cancel` names it by, if it is scheduled.
    package var number: UInt64
    package var kind: Kind
    /// When it is made, by the wall clock, nanoseconds since 1970. Of a delay, too: the clock that counts it begins anew
    /// with each boot of the machine.
    package var due: Int64
    /// Who posted it.
    package var client: UInt64
    package var pid: Int32
    package var uid: UInt32
    /// The line of wire protocol that would post it at once, without its newline.
    package var line: [UInt8]

    package init(
        number: UInt64, kind: Kind, due: Int64, client: UInt64, pid: Int32, uid: UInt32, line: [UInt8]
    ) {
        (self.number, self.kind, self.due) = (number, kind, due)
        (self.client, self.pid, self.uid) = (client, pid, uid)
        self.line = line
    }
}
