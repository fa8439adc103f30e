// Cutting standard input into lines.

import Testing

@testable import notifyctl

@Suite("The line splitter")
struct LineSplitterTests {
    private func lines(_ chunks: [[UInt8]], limit: Int = 100) throws(Failure) -> [String] {
        var splitter = LineSplitter(limit: limit)
        var result: [String] = []
        for chunk in chunks {
            splitter.feed(chunk)
            while let line = try splitter.next() { result.append(String(decoding: line, as: UTF8.self)) }
        }
        splitter.end()
        while let line = try splitter.next() { result.append(String(decoding: line, as: UTF8.self)) }
        #expect(splitter.number == result.count)
        return result
    }

    @Test(
        "cuts at newlines and nothing else",
        arguments: [
            ("", []), ("\n", [""]), ("a", ["a"]), ("a\n", ["a"]), ("a\nb", ["a", "b"]), ("a\n\nb\n", ["a", "", "b"]),
            ("a\r\nb\r", ["a", "b"]), ("a\rb\n", ["a\rb"]),
            ("a\u{2028}b\u{85}c\u{0B}d\n", ["a\u{2028}b\u{85}c\u{0B}d"]),
        ])
    func cuts(text: String, expected: [String]) throws {
        let bytes = Array(text.utf8)
        #expect(try lines([bytes]) == expected)
        // However the bytes arrive, the lines are the same.
        #expect(try lines(bytes.map { [$0] }) == expected)
        for cut in bytes.indices { #expect(try lines([Array(bytes[..<cut]), Array(bytes[cut...])]) == expected) }
    }

    @Test("takes a line of the limit and refuses one that is a byte longer")
    func limit() throws {
        let text = [UInt8](repeating: UInt8(ascii: "x"), count: 10)
        #expect(try lines([text + [0x0A]], limit: 10).count == 1)
        #expect(try lines([text + [0x0D, 0x0A]], limit: 10).count == 1)
        #expect(try lines([text], limit: 10).count == 1)
        #expect(throws: Failure(.data, "line 1: longer than 9 bytes")) { try lines([text + [0x0A]], limit: 9) }
        #expect(throws: Failure(.data, "line 2: longer than 9 bytes")) { try lines([[0x0A], text], limit: 9) }
    }

    @Test("refuses an endless line before its end")
    func endless() {
        var splitter = LineSplitter(limit: 10)
        splitter.feed([UInt8](repeating: 1, count: 12))
        #expect(throws: Failure(.data, "line 1: longer than 10 bytes")) { try splitter.next() }
    }
}
