// What a message has to show, apart from how it came.

/// The parts of a message that formats can print.
struct MessageFields: Equatable, Sendable {
    var channel: String
    var type: String?
    var subject: String?
    var payload: [UInt8]
    var sequence: UInt64
    var position: UInt64
    /// The life of the daemon's numbering that the position belongs to.
    var epoch = ""
    /// As the daemon wrote it: RFC 3339 with microseconds.
    var time: String
    var uid: UInt32
    var pid: Int32
    /// It was kept for us; it did not happen now.
    var isReplay: Bool
    /// It was posted to be its channel's retained message.
    var isRetained = false

    /// With nothing in it that a terminal obeys, or that nobody sees.
    var printable: MessageFields {
        var fields = self
        fields.channel = Printable.text(channel)
        fields.type = type.map { Printable.text($0) }
        fields.subject = subject.map { Printable.text($0) }
        fields.epoch = Printable.text(epoch)
        fields.payload = Array(Printable.json(String(decoding: payload, as: UTF8.self)).utf8)
        return fields
    }
}
