// Somebody was denied something: what the log is told.

package import NotifyWire

package struct Denial: Sendable {
    package let client: UInt64
    package let pid: Int32
    package let identity: Identity
    package let right: Right
    package let channel: String
    /// nil: no rule allows it. Of a pattern, which denies all of it.
    package let rule: AccessRule?

    /// At most so many of one wake-up are told; all are counted.
    static let limit = 16
}
