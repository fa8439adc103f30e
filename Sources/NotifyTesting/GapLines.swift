// Makes one gap of several. Messages that a test has a center lose are lost one by one, each as it comes, and the daemon
// tells of each; one that was slow all the time would be told of all at once.

import NotifyWire

struct GapLines {
    private struct Place: Hashable {
        var sub: UInt64
        var channel: [UInt8]
    }

    private var gaps: [(place: Place, fields: GapFields)] = []

    /// Takes the gaps for want of room out of lines that the daemon has written. Returns whether there is a message among
    /// the others.
    mutating func takeOut(of lines: inout [UInt8]) -> Bool {
        var kept: [UInt8] = []
        var hasMessage = false
        let padded = lines + [UInt8](repeating: 0, count: 32)
        padded.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return }
            var start = 0
            while let end = bytes[start..<lines.count].firstIndex(of: UInt8(ascii: "\n")) {
                switch DaemonLineParser.parse(base, from: start, to: end) {
                case .gap(let fields) where bytes[fields.reason.indices].elementsEqual("overflow".utf8):
                    add(fields, Place(sub: fields.sub, channel: Array(bytes[fields.channel.indices])))
                case .message:
                    hasMessage = true
                    kept += bytes[start...end]
                default: kept += bytes[start...end]
                }
                start = end + 1
            }
            kept += bytes[start..<lines.count]
        }
        lines = kept
        return hasMessage
    }

    private mutating func add(_ fields: GapFields, _ place: Place) {
        guard let index = gaps.firstIndex(where: { $0.place == place }) else { return gaps.append((place, fields)) }
        gaps[index].fields.to = fields.to
        gaps[index].fields.count = gaps[index].fields.count.flatMap { sum in fields.count.map { sum + $0 } }
    }

    /// The lines for all that were taken out.
    mutating func takeAll() -> [UInt8] {
        var log = ByteLog(capacity: 256)
        for (place, fields) in gaps {
            place.channel.withUnsafeBufferPointer { bytes in
                // Losses on very many channels are told without one.
                let channel = bytes.isEmpty ? nil : bytes.baseAddress.map { ByteSlice($0, bytes.count) }
                ControlLine.appendGap(
                    to: &log, sub: UInt32(fields.sub), channel: channel, from: fields.from, to: fields.to,
                    count: fields.count, reason: "overflow")
            }
        }
        gaps = []
        return [UInt8](log.slice)
    }

    /// How many messages one of them speaks of, at the most.
    var count: UInt64 { gaps.compactMap(\.fields.count).max() ?? 0 }
}
