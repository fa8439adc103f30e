// How messages are written: for people, as the line that came, as the bare payload, as a CloudEvent, or by a template.

import FoundationEssentials
import Glibc
import Notify

/// The options that say how a message is shown.
struct RecordOptions: Sendable, Equatable {
    enum Shape: Sendable, Equatable {
        case pretty, json, payload, cloudEvents
        case format(MessageFormat)
    }

    /// nil: for people on a terminal, the line as it came elsewhere.
    var shape: Shape?
    /// NUL ends a record instead of a newline.
    var endsWithNUL = false

    /// What `--output` takes.
    static let shapes: [(name: String, shape: Shape)] = [
        ("pretty", .pretty), ("json", .json), ("payload", .payload), ("cloudevents", .cloudEvents),
    ]

    static let table: [Option] = [.output, .json, .format, .nul]

    /// For `--help`.
    static let notes = #"A TEMPLATE also takes %% for a per cent sign, \n, \t, \0 and \\."#

    init(_ arguments: Arguments) throws(Failure) {
        try arguments.exclude([.output, .format])
        try arguments.exclude([.json, .format])
        if let text = try arguments.text(.format) { shape = .format(try MessageFormat(text)) }
        if let name = try arguments.choice(.output) { shape = Self.shapes.first { $0.name == name }?.shape }
        if arguments.has(.json) {
            if let shape, shape != .json { throw .usage("--json and --output exclude each other") }
            shape = .json
        }
        endsWithNUL = arguments.has(.nul)
        if endsWithNUL, shape == .pretty { throw .usage("-0 and --output=pretty exclude each other") }
    }
}

/// Writes messages in the chosen shape.
struct RecordPrinter: Sendable {
    private let shape: RecordOptions.Shape
    private let end: UInt8
    private let pretty: PrettyMessage
    private let cloudEvent: CloudEvent
    /// Others' words must not move the cursor, or hide.
    private let isForTerminal: Bool

    /// - Parameter center: where the messages come from; it is connected.
    init(_ options: RecordOptions, _ session: Session, _ center: NotifyCenter) {
        isForTerminal = Terminal.isThere(STDOUT_FILENO)
        shape = options.shape ?? (isForTerminal && !options.endsWithNUL ? .pretty : .json)
        end = options.endsWithNUL ? 0 : 0x0A
        pretty = PrettyMessage(style: session.style)
        // A center stays with the socket that it has found first.
        cloudEvent = CloudEvent(socket: center.server?.socketPath ?? "")
    }

    func append(_ message: NotifyCenter.RawMessage, to output: inout [UInt8]) {
        switch shape {
        case .json: append(json: message.line, to: &output)
        case .payload: append(json: message.payload, to: &output)
        case .cloudEvents:
            var event: [UInt8] = []
            cloudEvent.append(MessageFields(message), to: &event)
            append(json: Data(event), to: &output)
        case .format(let format):
            let fields = MessageFields(message)
            format.append(isForTerminal ? fields.printable : fields, to: &output)
        case .pretty: output.append(contentsOf: pretty.line(MessageFields(message)).utf8)
        }
        output.append(end)
    }

    /// As it came, byte for byte, but for a terminal.
    private func append(json: Data, to output: inout [UInt8]) {
        if isForTerminal {
            output += Printable.json(String(decoding: json, as: UTF8.self)).utf8
        } else {
            json.withUnsafeBytes { output.append(contentsOf: $0) }
        }
    }
}

extension MessageFields {
    init(_ message: NotifyCenter.RawMessage) {
        let info = message.info
        self.init(
            channel: message.channel.rawValue, type: message.type, subject: message.subject?.rawValue,
            payload: Array(message.payload), sequence: info.sequence, position: info.position, epoch: info.epoch,
            time: info.timestamp, uid: info.sender.uid, pid: info.sender.pid, isReplay: info.isReplay,
            isRetained: info.isRetained)
    }
}

extension Option {
    static let output = Option(
        "output", .required("SHAPE"), .words(RecordOptions.shapes.map(\.name)),
        help: "pretty (on a terminal), json (elsewhere: the line as it came), payload or cloudevents")
    static let format = Option(
        "format", .required("TEMPLATE"),
        help: "%c channel %t type %s subject %p payload %q seq %P pos %e epoch %T time %u uid %i pid")
    static let nul = Option("null", short: "0", help: "end records with NUL, not the newline that --format adds, too")
}
