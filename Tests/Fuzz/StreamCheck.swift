// What comes in pieces, as a socket delivers it and as the daemon reads it (by comparing with the post before, where
// that does), against lines found by looking at everything at once and read by the general path.

enum StreamCheck {
    /// Small, so that the fuzzer finds lines that are too long without having to write much.
    private static let limit = 200

    private enum Event: Equatable {
        case tooLong
        case blank
        case refused(Refusal)
        case request(Facts)
        case posts([Facts])
    }

    static func run(_ bytes: [UInt8], piece: Int) {
        compare(bytes, stride(from: piece, to: bytes.count, by: piece) + [bytes.count])
        // A post twice is what the fast way is for; it has to see, too, when the second one lacks its newline yet.
        var twice: [UInt8] = []
        for line in bytes.split(separator: 10, omittingEmptySubsequences: false) {
            for _ in 1...2 { twice += line + [10] }
        }
        compare(twice, stride(from: piece, to: twice.count, by: piece) + [twice.count])
        let newlines = twice.indices.filter { twice[$0] == 10 }
        compare(twice, stride(from: 1, to: newlines.count, by: 2).map { newlines[$0] } + [twice.count])
    }

    /// - Parameter cuts: how much of the bytes has come after each read.
    private static func compare(_ bytes: [UInt8], _ cuts: [Int]) {
        let found = inPieces(bytes, cuts)
        let expected = atOnce(bytes)
        guard found != expected else { return }
        fatalError("cut at \(cuts): \(found), at once: \(expected)")
    }

    private static func atOnce(_ bytes: [UInt8]) -> [Event] {
        let lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
        var events = lines.dropLast().map { line in
            if line.count + 1 > limit { return Event.tooLong }
            let padded = Padded([UInt8](line))
            var parser = RequestParser()
            return event(parser.parseAnything(padded.start, padded.end), &parser)
        }
        // What has no newline yet is too long as soon as no newline could save it.
        if let rest = lines.last, rest.count >= limit { events.append(.tooLong) }
        return events
    }

    private static func event(_ verdict: RequestParser.Verdict, _ parser: inout RequestParser) -> Event {
        switch verdict {
        case .blank: return .blank
        case .refused: return .refused(parser.refusal)
        case .request:
            guard parser.request.op == .batch else { return .request(Facts(parser.request)) }
            switch parser.parseBatch() {
            case .success(let posts): return .posts(posts.map { Facts($0) })
            case .failure(let refusal): return .refused(refusal)
            }
        }
    }

    /// Reads a piece behind what was kept, takes the lines out, keeps the rest.
    private static func inPieces(_ bytes: [UInt8], _ cuts: [Int]) -> [Event] {
        var splitter = LineSplitter()
        var parser = RequestParser()
        var events: [Event] = []
        var buffer: [UInt8] = []
        var taken = 0
        for next in cuts {
            buffer += bytes[taken..<next]
            taken = next
            // What stood in the buffer earlier may well look like what would come next.
            let kept = take(from: Padded(buffer, then: bytes[taken...].prefix(16)), &splitter, &parser, &events)
            buffer.removeFirst(kept)
            guard buffer.count < limit else { fatalError("\(buffer.count) bytes are kept, the limit is \(limit)") }
        }
        return events
    }

    private static func take(
        from buffer: Padded, _ splitter: inout LineSplitter, _ parser: inout RequestParser, _ events: inout [Event]
    ) -> Int {
        let base = buffer.start
        var start = 0
        while true {
            if start < buffer.count, splitter.isAtLineStart,
                let newline = parser.parseRepeatedPost(base + start, before: buffer.end), newline - base - start < limit
            {
                events.append(event(.request, &parser))
                start = newline - base + 1
                continue
            }
            switch splitter.next(in: base, from: start, to: buffer.count, limit: limit) {
            case .line(let first, let newline):
                events.append(event(parser.parse(base + first, base + newline), &parser))
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
