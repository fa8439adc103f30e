// `--format '%c %s %p'`: a template, checked once and then only filled in.

/// A template for one message.
struct MessageFormat: Equatable, Sendable {
    enum Piece: Equatable, Sendable {
        case bytes([UInt8])
        case channel, type, subject, payload, sequence, position, epoch, time, uid, pid
    }

    private(set) var pieces: [Piece] = []

    /// Reads a template; an unknown letter after `%` or `\` is a mistake.
    init(_ template: String) throws(Failure) {
        var scalars = template.unicodeScalars[...]
        while let scalar = scalars.popFirst() {
            switch scalar {
            case "%": append(try Self.field(scalars.popFirst()))
            case "\\": append(.bytes([try Self.escaped(scalars.popFirst())]))
            default: append(.bytes(Array(String(scalar).utf8)))
            }
        }
    }

    private mutating func append(_ piece: Piece) {
        if case .bytes(let new) = piece, case .bytes(let old) = pieces.last {
            pieces[pieces.count - 1] = .bytes(old + new)
        } else {
            pieces.append(piece)
        }
    }

    private static func field(_ letter: Unicode.Scalar?) throws(Failure) -> Piece {
        switch letter {
        case "c": .channel
        case "t": .type
        case "s": .subject
        case "p": .payload
        case "q": .sequence
        case "P": .position
        case "e": .epoch
        case "T": .time
        case "u": .uid
        case "i": .pid
        case "%": .bytes([UInt8(ascii: "%")])
        case let other?:
            throw .usage(
                "--format: unknown letter '%\(Printable.text(String(other)))'; there are %c %t %s %p %q %P %e %T %u %i %%"
            )
        case nil: throw .usage("--format: nothing after the last '%'")
        }
    }

    private static func escaped(_ letter: Unicode.Scalar?) throws(Failure) -> UInt8 {
        switch letter {
        case "n": 0x0A
        case "t": 0x09
        case "0": 0
        case "\\": UInt8(ascii: "\\")
        case let other?:
            throw .usage("--format: unknown escape '\\\(Printable.text(String(other)))'; there are \\n \\t \\0 \\\\")
        case nil: throw .usage("--format: nothing after the last '\\'")
        }
    }

    /// Appends the message; what it does not have is empty.
    func append(_ message: MessageFields, to output: inout [UInt8]) {
        for piece in pieces {
            switch piece {
            case .bytes(let bytes): output += bytes
            case .channel: output += message.channel.utf8
            case .type: output += (message.type ?? "").utf8
            case .subject: output += (message.subject ?? "").utf8
            case .payload: output += message.payload
            case .sequence: output += String(message.sequence).utf8
            case .position: output += String(message.position).utf8
            case .epoch: output += message.epoch.utf8
            case .time: output += message.time.utf8
            case .uid: output += String(message.uid).utf8
            case .pid: output += String(message.pid).utf8
            }
        }
    }
}
