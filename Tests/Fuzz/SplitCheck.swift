// Lines found in pieces, as a socket delivers them, against lines found by looking at everything at once.

enum SplitCheck {
    /// Small, so that the fuzzer finds lines that are too long without having to write much.
    private static let limit = 64

    private enum Event: Equatable {
        case line([UInt8])
        case tooLong
    }

    static func run(_ bytes: [UInt8], piece: Int) {
        let found = inPieces(bytes, piece)
        let expected = atOnce(bytes)
        guard found != expected else { return }
        fatalError("in pieces of \(piece): \(found), at once: \(expected)")
    }

    private static func atOnce(_ bytes: [UInt8]) -> [Event] {
        let lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
        var events = lines.dropLast().map { $0.count + 1 > limit ? Event.tooLong : .line([UInt8]($0)) }
        // What has no newline yet is too long as soon as no newline could save it.
        if let rest = lines.last, rest.count >= limit { events.append(.tooLong) }
        return events
    }

    /// As the daemon does it: read a piece behind what was kept, take the lines out, keep the rest.
    private static func inPieces(_ bytes: [UInt8], _ piece: Int) -> [Event] {
        var splitter = LineSplitter()
        var events: [Event] = []
        var buffer: [UInt8] = []
        var taken = 0
        while taken < bytes.count {
            let next = min(bytes.count, taken + piece)
            buffer += bytes[taken..<next]
            taken = next
            let kept = take(from: buffer, &splitter, &events)
            buffer.removeFirst(kept)
            guard buffer.count < limit else { fatalError("\(buffer.count) bytes are kept, the limit is \(limit)") }
        }
        return events
    }

    private static func take(from buffer: [UInt8], _ splitter: inout LineSplitter, _ events: inout [Event]) -> Int {
        buffer.withUnsafeBufferPointer { pointer in
            guard let base = pointer.baseAddress else { return 0 }
            var start = 0
            while true {
                switch splitter.next(in: base, from: start, to: pointer.count, limit: limit) {
                case .line(let first, let newline):
                    events.append(.line([UInt8](pointer[first..<newline])))
                    start = newline + 1
                case .tooLong(let resume):
                    events.append(.tooLong)
                    start = resume
                case .incomplete(let keep):
                    return keep
                }
            }
        }
    }
}
