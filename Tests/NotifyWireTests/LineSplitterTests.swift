// Lines out of a stream that comes in pieces, also when one of them is too long.

import NotifyTestSupport
import NotifyWire
import Testing

@Suite("The line splitter")
struct LineSplitterTests {
    /// What came out of it: lines as text, and "!" for one that was too long.
    private struct Feed {
        var splitter = LineSplitter()
        var buffer: [UInt8] = []
        var found: [String] = []
        let limit: Int

        init(limit: Int = 1000) { self.limit = limit }

        mutating func feed(_ bytes: ArraySlice<UInt8>) {
            buffer += bytes
            var start = 0
            while true {
                let step = buffer.withUnsafeBufferPointer { bytes in
                    // A pointer even when there is nothing.
                    splitter.next(
                        in: bytes.baseAddress ?? UnsafePointer(bitPattern: 1).unsafelyUnwrapped, from: start,
                        to: bytes.count, limit: limit)
                }
                switch step {
                case .line(let first, let end):
                    found.append(String(decoding: buffer[first..<end], as: UTF8.self))
                    start = end + 1
                case .tooLong(let resume):
                    found.append("!")
                    start = resume
                case .incomplete(let keep):
                    buffer.removeSubrange(..<keep)
                    return
                }
            }
        }

        mutating func feed(_ text: String) { feed(Array(text.utf8)[...]) }
    }

    private static let stream = Array("{\"a\":\"é€😀\u{2028}\u{85}\"}\n\n\r\n{}\nlast\n".utf8)

    @Test("finds the same lines wherever the stream is cut in two", arguments: 0...stream.count)
    func everySplit(position: Int) {
        var feed = Feed()
        feed.feed(Self.stream[..<position])
        feed.feed(Self.stream[position...])
        #expect(feed.found == ["{\"a\":\"é€😀\u{2028}\u{85}\"}", "", "\r", "{}", "last"])
        #expect(!feed.splitter.isInsideLine)
    }

    @Test("finds the same lines in pieces of any size", arguments: [1, 2, 3, 5, 7])
    func pieces(size: Int) {
        var feed = Feed()
        for start in stride(from: 0, to: Self.stream.count, by: size) {
            feed.feed(Self.stream[start..<min(start + size, Self.stream.count)])
        }
        #expect(feed.found.count == 5)
        #expect(feed.buffer.isEmpty)
    }

    @Test("takes a line of the limit, newline included, and refuses one byte more", arguments: [1, 3, 50])
    func limit(pieces: Int) {
        for (length, isTaken) in [(18, true), (19, true), (20, false), (21, false), (200, false)] {
            var feed = Feed(limit: 20)
            let line = Array(String(repeating: "x", count: length).utf8) + [10]
            for start in stride(from: 0, to: line.count, by: pieces) {
                feed.feed(line[start..<min(start + pieces, line.count)])
            }
            feed.feed("good\n")
            #expect(feed.found == [isTaken ? String(repeating: "x", count: length) : "!", "good"], "\(length)")
        }
    }

    @Test("tells once about a line that never ends, and keeps nothing of it")
    func endless() {
        var feed = Feed(limit: 100)
        for _ in 0..<50 {
            feed.feed(String(repeating: "x", count: 64))
            #expect(feed.buffer.count <= 100)
        }
        #expect(feed.found == ["!"])
        #expect(!feed.splitter.isInsideLine)
        feed.feed("\nok\n")
        #expect(feed.found == ["!", "ok"])
    }

    @Test("tells about each of several long lines")
    func severalLong() {
        var feed = Feed(limit: 5)
        feed.feed("123456789\n123456789\nab\n123456789")
        feed.feed("0\nc\n")
        #expect(feed.found == ["!", "!", "ab", "!", "c"])
    }

    @Test("knows whether the end of the input would cut a line off")
    func insideLine() {
        var feed = Feed()
        #expect(!feed.splitter.isInsideLine)
        feed.feed("a")
        #expect(feed.splitter.isInsideLine)
        feed.feed("\n")
        #expect(!feed.splitter.isInsideLine)
        feed.feed("b\nc")
        #expect(feed.splitter.isInsideLine)
    }

    @Test("agrees with plain splitting, however random streams are cut", arguments: 1...5)
    func random(seed: UInt64) {
        var random = SplitMix(state: seed)
        for _ in 0..<200 {
            let stream = (0..<Int.random(in: 1...120, using: &random)).map { _ in
                random.pick([10, 97, 98, 99] as [UInt8])
            }
            let complete = stream.split(separator: 10, omittingEmptySubsequences: false).dropLast()
            let expected = complete.map { $0.count + 1 > 6 ? "!" : String(decoding: $0, as: UTF8.self) }
            var feed = Feed(limit: 6)
            var rest = stream[...]
            while !rest.isEmpty {
                let piece = rest.prefix(Int.random(in: 1...9, using: &random))
                feed.feed(piece)
                rest = rest.dropFirst(piece.count)
            }
            // A long line without its newline may have been told already.
            let lastIsLong = (stream.split(separator: 10, omittingEmptySubsequences: false).last?.count ?? 0) >= 6
            #expect(feed.found == expected + (lastIsLong ? ["!"] : []))
        }
    }
}
