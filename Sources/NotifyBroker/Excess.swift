// Somebody wanted more than they may have: what the log is told.

package struct Excess: Sendable {
    package let client: UInt64
    package let pid: Int32
    package let uid: UInt32
    /// Which limit, and whose.
    package let reason: String

    /// At most so many of one wake-up are told; all are counted.
    static let limit = 16
}
