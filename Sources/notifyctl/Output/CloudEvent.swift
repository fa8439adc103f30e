// A message as a CloudEvent (https://cloudevents.io, version 1.0.2), in its JSON format, so that whatever takes CloudEvents
// can be fed by a pipe. All that it says is in the message line, so the same message is the same event for everybody.

import FoundationEssentials
import Glibc
import Notify

/// Writes the messages of one daemon as CloudEvents.
struct CloudEvent: Sendable, Equatable {
    /// What a message without a type is. CloudEvents have one.
    static let untyped = "notifyd.message"

    /// The daemon as a URI, up to the channel.
    private let source: String

    /// - Parameter socket: an absolute path, or `@NAME` of an abstract socket.
    init(host: String, socket: String) {
        let path = socket.hasPrefix("/") ? socket : "/\(socket)"
        source = "notifyd://\(Self.escaped(host, keeping: ""))\(Self.escaped(path, keeping: "/:@"))?channel="
    }

    /// Of the daemon at `socket`, on this machine.
    init(socket: String) {
        var name = [CChar](repeating: 0, count: 256)
        // One byte less, because a name that is cut may come without its end.
        _ = gethostname(&name, name.count - 1)
        let host = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        self.init(host: host.isEmpty ? "localhost" : host, socket: Self.absolute(socket))
    }

    /// Appends the event. Numbers are strings, because an integer of CloudEvents has 32 bits.
    func append(_ message: MessageFields, to output: inout [UInt8]) {
        func append(_ name: String, _ value: String) {
            output += ",\"\(name)\":".utf8
            JSONText.append(string: Self.allowed(value).utf8, to: &output)
        }
        output += #"{"specversion":"1.0""#.utf8
        // The position alone would come again when a daemon that has lost its state counts anew.
        append("id", "\(message.position)@\(message.time)")
        append("source", source + Self.escaped(message.channel, keeping: "/:@$"))
        append("type", message.type ?? Self.untyped)
        if let subject = message.subject { append("subject", subject) }
        append("time", message.time)
        append("channel", message.channel)
        append("seq", String(message.sequence))
        append("pos", String(message.position))
        append("uid", String(message.uid))
        append("pid", String(message.pid))
        if message.isReplay { output += #","replay":true"#.utf8 }
        output += #","datacontenttype":"application/json","data":"#.utf8
        output += message.payload
        output.append(UInt8(ascii: "}"))
    }

    /// The path without links, so that all who listen to a daemon name it alike.
    private static func absolute(_ socket: String) -> String {
        if socket.hasPrefix("@") { return socket }
        guard let path = realpath(socket, nil) else { return socket }
        defer { free(path) }
        return String(cString: path)
    }

    /// Percent-encodes all but the unreserved characters of RFC 3986 and those of `keeping`.
    private static func escaped(_ text: String, keeping: String) -> String {
        var result = ""
        for byte in text.utf8 {
            let scalar = Unicode.Scalar(byte)
            let isUnreserved = byte < 0x80 && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
            if isUnreserved || "-._~".unicodeScalars.contains(scalar) || keeping.unicodeScalars.contains(scalar) {
                result.unicodeScalars.append(scalar)
            } else {
                let hex = String(byte, radix: 16, uppercase: true)
                result += byte < 16 ? "%0\(hex)" : "%\(hex)"
            }
        }
        return result
    }

    /// Without Unicode's noncharacters, which a type and a subject may have and CloudEvents may not. (Of control
    /// characters neither has any.)
    private static func allowed(_ text: String) -> String {
        let isForbidden = { (scalar: Unicode.Scalar) in
            scalar.value & 0xFFFE == 0xFFFE || (0xFDD0...0xFDEF).contains(scalar.value)
        }
        guard text.unicodeScalars.contains(where: isForbidden) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { result.append(isForbidden(scalar) ? "\u{FFFD}" : scalar) }
        return String(result)
    }
}
