// One event of a trace for a person: a line for what happened, and one below it for each subscription.

import FoundationEssentials
import Notify

/// What the daemon tells of a post, as far as we know it.
struct TraceEvent: Decodable, Sendable {
    struct Sender: Decodable, Sendable {
        var client: UInt64
        var pid: Int32
        var uid: UInt32
    }

    struct Receiver: Decodable, Sendable {
        var client: UInt64
        var pid: Int32
        var uid: UInt32
        var sub: UInt64
        var pattern: String
        var outcome: String?
        var reason: String?
        var waiting: UInt64?
    }

    var event: String
    var channel: String?
    var type: String?
    var subject: String?
    var bytes: UInt64?
    var sender: Sender?
    var seq: UInt64?
    var receivers: [Receiver]?
    var outcomes: [String: UInt64]?
    var receiver: Receiver?
    var reason: String?
    var code: String?
    var message: String?
    var count: UInt64?
    var first: UInt64?
    var last: UInt64?

    enum CodingKeys: String, CodingKey {
        case event, channel, type, subject, bytes, from, seq, receivers, outcomes, receiver, reason, code, message,
            count
        case to
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func read<Value: Decodable>(_ key: CodingKeys) -> Value? { try? container.decode(Value.self, forKey: key) }
        event = try container.decode(String.self, forKey: .event)
        (channel, type, subject, bytes) = (read(.channel), read(.type), read(.subject), read(.bytes))
        // Who posted it; of a loss, the first seq.
        (sender, first, last, seq) = (read(.from), read(.from), read(.to), read(.seq))
        (receivers, outcomes, receiver, reason) = (read(.receivers), read(.outcomes), read(.receiver), read(.reason))
        (code, message, count) = (read(.code), read(.message), read(.count))
    }
}

/// Writes events of a trace.
struct TraceText: Sendable {
    var style: Style
    var clock: WallClock
    var program: @Sendable (Int32) -> ProgramName = ProgramName.of

    func lines(of message: NotifyCenter.RawMessage) -> String {
        let text = (try? JSONDecoder().decode(TraceEvent.self, from: message.payload)).map { lines(of: $0) }
        // An event that a newer daemon tells otherwise.
        return style(.dim, clock.short(message.info.timestamp)) + "  "
            + (text ?? Printable.text(String(decoding: message.payload, as: UTF8.self)))
    }

    func lines(of event: TraceEvent) -> String {
        let place = style(.channel, Printable.text(event.channel ?? ""))
        switch event.event {
        case "posted":
            let counts = (event.outcomes ?? [:]).sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
            let sum = counts.isEmpty ? "nobody listens" : counts.joined(separator: ", ")
            let named = event.receivers ?? []
            let others = Int(clamping: (event.outcomes ?? [:]).values.reduce(0, &+)) - named.count
            let more = others > 0 ? ["    and \(others) more"] : []
            let head = "\(place) seq \(event.seq ?? 0)\(labels(event)) \(poster(event)): \(Printable.text(sum))"
            return ([head] + table(named) + more).joined(separator: "\n")
        case "lost":
            let (first, last) = (event.first ?? 0, event.last ?? 0)
            let range = first == last ? "seq \(first)" : "seq \(first) to \(last)"
            let count = event.count == 1 ? "1 message" : "\(event.count ?? 0) messages"
            let reader = event.receiver.map { who($0.client, $0.pid, $0.uid) + " \(Printable.text($0.pattern))" } ?? ""
            let lost = style(.warning, "lost")
            return "\(place) \(range): \(count) \(lost) for \(reader) (\(Printable.text(event.reason ?? "")))"
        case "refused":
            let reason = Printable.text("\(event.message ?? "") (\(event.code ?? ""))")
            return "\(place)\(labels(event)) \(poster(event)): \(style(.warning, "refused")): \(reason)"
        case "missed": return "\(event.count ?? 0) events were too many to be told"
        default: return "\(place)\(labels(event)) \(poster(event)): \(Printable.text(event.event))"
        }
    }

    private func labels(_ event: TraceEvent) -> String {
        let type = event.type.map { " " + style(.type, Printable.text($0)) } ?? ""
        return type + (event.subject.map { " " + style(.subject, Printable.text($0)) } ?? "")
    }

    private func poster(_ event: TraceEvent) -> String {
        let bytes = event.bytes.map { $0 == 1 ? " (1 byte)" : " (\($0) bytes)" } ?? ""
        return "from " + (event.sender.map { who($0.client, $0.pid, $0.uid) } ?? "?") + bytes
    }

    private func who(_ client: UInt64, _ pid: Int32, _ uid: UInt32) -> String {
        let command = program(pid).command.map { " \(Printable.text($0))" } ?? ""
        return "client \(client)\(command) (process \(pid), uid \(uid))"
    }

    private func table(_ receivers: [TraceEvent.Receiver]) -> [String] {
        if receivers.isEmpty { return [] }
        var table = Table([
            .init(title: ""), .init(title: ""), .init(title: "", isNumber: true), .init(title: ""), .init(title: ""),
        ])
        for receiver in receivers {
            let reason = [receiver.reason, receiver.waiting.map { "\($0) waiting" }].compactMap(\.self)
            let outcome = receiver.outcome ?? ""
            table.add([
                outcome, reason.joined(separator: ", "), "client \(receiver.client)",
                "(process \(receiver.pid)\(program(receiver.pid).command.map { " \($0)" } ?? ""), uid \(receiver.uid))",
                receiver.pattern,
            ])
        }
        return table.lines(width: nil, style: .plain).dropFirst().map { "    " + $0 }
    }
}
