// What a message has to show, apart from how it came.

/// The parts of a message that formats can print.
struct MessageFields: Equatable, Sendable {
    var channel: String
    var type: String?
    var subject: String?
    var payload: [UInt8]
    var sequence: UInt64
    var position: UInt64
    /// As the daemon wrote it: RFC 3339 with microseconds.
    var time: String
    var uid: UInt32
    var pid: Int32
    /// It was kept for us; it did not happen now.
    var isReplay: Bool
    /// It was posted to be its channel's retained message.
    var isRetained = false
}
