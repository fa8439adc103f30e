// Reads from the socket into one buffer and cuts what came into lines. Only whole lines leave it, copied once into a
// batch; the rest of a line stays for the next read.

import Glibc
import NotifyTransport
import NotifyWire

/// The lines of one read, in order.
struct ReadBatch {
    enum Step {
        /// Messages of one subscription, as indices into `messages`.
        case messages(sub: UInt64, Range<Int>)
        case line(DaemonLine)
    }

    let bytes: [UInt8]
    let messages: [MessageFields]
    let steps: [Step]
    /// What stands behind them is not the daemon's language.
    let failure: NotifyError?

    func batch(epoch: String) -> MessageBatch { MessageBatch(bytes: bytes, messages: messages, epoch: epoch) }
}

struct Intake: ~Copyable {
    enum Fill {
        /// Bytes came; whether the socket is empty now.
        case bytes(isDrained: Bool)
        case nothing
        case end
        case failed(NotifyError)
    }

    /// A longer line is not stored: whoever sends it is no notifyd.
    static let lineLimit = 64 << 20

    private static let readSize = 64 << 10
    /// The scanner may look at this many bytes behind a line.
    private static let slack = 16

    private var buffer: UnsafeMutablePointer<UInt8>?
    private var capacity = 0
    private var count = 0
    private var splitter = LineSplitter()
    private var shape = PayloadShape()

    init() {}

    deinit { buffer?.deallocate() }

    /// One read(2).
    mutating func fill(_ socket: Int32) -> Fill {
        let buffer = reserve()
        let room = capacity - Self.slack - count
        let result = SystemCalls.read(socket, buffer + count, room)
        switch result {
        case 1...:
            count += result
            return .bytes(isDrained: result < room)
        case 0: return .end
        default:
            if -result == Int(EAGAIN) { return .nothing }
            let error = SystemError(.read, Int32(-result))
            return .failed(NotifyError(.notConnected, "the connection to the daemon was lost: \(error)", cause: error))
        }
    }

    private mutating func reserve() -> UnsafeMutablePointer<UInt8> {
        if let buffer, capacity - Self.slack - count >= Self.readSize / 2 { return buffer }
        let larger = max(Self.readSize + Self.slack, (count + Self.slack) * 2)
        let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        moved.initialize(repeating: 0, count: larger)
        if let buffer {
            moved.update(from: buffer, count: count)
            buffer.deallocate()
        }
        buffer = moved
        capacity = larger
        return moved
    }

    /// Puts bytes in as if they had been read.
    mutating func fill(_ bytes: some Collection<UInt8>) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let buffer = reserve()
            let room = UnsafeMutableBufferPointer(start: buffer + count, count: capacity - Self.slack - count)
            let (_, filled) = room.initialize(from: rest.prefix(room.count))
            count += filled
            rest = rest.dropFirst(filled)
        }
    }

    /// The whole lines that have come, up to the first that is not the daemon's language; nil when there are none.
    mutating func lines() -> ReadBatch? {
        guard let buffer else { return nil }
        var lines = Lines()
        var failure: NotifyError?
        var start = 0
        scan: while failure == nil {
            switch splitter.next(in: buffer, from: start, to: count, limit: Self.lineLimit) {
            case .line(let first, let newline):
                start = newline + 1
                failure = lines.add(DaemonLineParser.parse(buffer, from: first, to: newline, &shape))
            case .tooLong:
                failure = NotifyError(
                    .protocolViolation, "the daemon sent a line of more than \(Self.lineLimit) bytes")
            case .incomplete:
                break scan
            }
        }
        guard start > 0 || failure != nil else { return nil }
        defer { keep(from: start) }
        lines.endRun()
        guard !lines.steps.isEmpty || failure != nil else { return nil }
        let bytes = Array(UnsafeBufferPointer(start: buffer, count: start))
        return ReadBatch(bytes: bytes, messages: lines.messages, steps: lines.steps, failure: failure)
    }

    /// Lines in their order, messages of one subscription in runs.
    private struct Lines {
        var steps: [ReadBatch.Step] = []
        var messages: [MessageFields] = []
        /// Where the run of messages begins that the next message may belong to; it ends with the last message.
        private var runStart = 0

        mutating func add(_ line: DaemonLine) -> NotifyError? {
            switch line {
            case .message(let fields):
                if runStart < messages.count, messages[runStart].sub != fields.sub { endRun() }
                messages.append(fields)
            case .malformed(let offset, let expected):
                return NotifyError(
                    .protocolViolation,
                    "what answers at the socket does not speak the protocol: at byte \(offset) of a line it should have \(expected)"
                )
            case .blank, .unknown: break
            default:
                endRun()
                steps.append(.line(line))
            }
            return nil
        }

        mutating func endRun() {
            guard runStart < messages.count else { return }
            steps.append(.messages(sub: messages[runStart].sub, runStart..<messages.count))
            runStart = messages.count
        }
    }

    private mutating func keep(from start: Int) {
        guard let buffer else { return }
        let rest = count - start
        memmove(buffer, buffer + start, rest)
        count = rest
        // A buffer that grew for a long line gives its memory back.
        if capacity > Self.readSize * 4, rest < Self.readSize {
            let smaller = UnsafeMutablePointer<UInt8>.allocate(capacity: Self.readSize + Self.slack)
            smaller.initialize(repeating: 0, count: Self.readSize + Self.slack)
            smaller.update(from: buffer, count: rest)
            buffer.deallocate()
            self.buffer = smaller
            capacity = Self.readSize + Self.slack
        }
    }
}
