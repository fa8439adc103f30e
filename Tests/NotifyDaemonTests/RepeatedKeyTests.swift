// Keys that stand twice are found however they are written, and nothing else is taken for one.

import Foundation
import Testing

@testable import NotifyDaemon

@Suite("A key that stands twice")
struct RepeatedKeyTests {
    @Test(
        "is found with its path and line",
        arguments: [
            ("{a: 1, a: 2}", "a", 1), ("{\"a\": 1,\n'a': 2}", "a", 2), ("{a:1,\n\n\"\\u0061\":2}", "a", 3),
            ("{a:1,\\u0061:2}", "a", 1), ("{'\\x61':1,a:2}", "a", 1),
            ("{limits: {clients: 1, clients: 2}}", "limits.clients", 1),
            ("{channels: [{}, {history: {bytes: 1, /* , */ bytes: 2}}]}", "channels[1].history.bytes", 1),
            ("{access: [\n{ deny: 'post',\n allow: [], // deny:\n deny: 'listen' }]}", "access[0].deny", 4),
            ("{a: {b: 1}, a: {b: 1}}", "a", 1), ("{\"é\":1,é:2}", "é", 1),
            ("{a:[1,[2,{b:1,b:2}]]}", "a[1][1].b", 1), ("{// a:0\ra:1,\ra:2}", "a", 3),
            ("{a:1, // a:0\r\na:2}", "a", 2), ("{a:1,\r\r\n\r\n\ra:2}", "a", 5), ("{a:1,/*\r*/a:2}", "a", 2),
            ("{'a\\\r\nb':1,'a\\r\\nb':2}", "a\r\nb", 2), ("\u{FEFF}{a:1,a:2}", "a", 1),
            ("{a\u{B}:1,\u{C}a:2}", "a", 1),
        ])
    func found(text: String, path: String, line: Int) {
        #expect(RepeatedKey.first(in: text.utf8) == RepeatedKey(path: path, line: line))
    }

    @Test(
        "is not seen where there is none",
        arguments: [
            "{}", "", "[]", "{a: {a: {a: 1}}}", "{a: [{b: 1}, {b: 2}]}", "{a: 'a: 1, a: 2', b: \"a: \\\"a\"}",
            "{a: 1 // a: 2\n}", "{a: 1, /* a: 2, \n a: 3 */ b: 4}", "{a: 'it\\'s', 's': 1}", "{a: 0x10, b: -Infinity,}",
            "{a: 1, A: 2}", "{'a\\nb': 1, 'a': 2}", "{a: '\\\nb', b: 1}", "{a: b, b: a}",
            "{\"\\ud83d\": 1, \"\\ud83e\": 2}",
        ])
    func absent(text: String) {
        #expect(RepeatedKey.first(in: text.utf8) == nil)
    }

    /// Of each the second key is within the comment, or behind it.
    static let ends: [(text: String, endsComment: Bool)] = [
        ("\n", true), ("\r", true), ("\r\n", true), ("\u{2028}", false), ("\u{2029}", false), ("\u{85}", false),
        ("\u{B}", false), ("\u{C}", false), ("\u{A0}", false), ("\u{1E}", false),
    ]

    @Test("is seen where Foundation sees one, whatever ends the line of a comment", arguments: ends)
    func comments(end: (text: String, endsComment: Bool)) throws {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        let text = "{ a: 1, // b: 1,\(end.text) a: 2,\n }"
        #expect((RepeatedKey.first(in: text.utf8) != nil) == end.endsComment)
        // Of two that are alike one cannot see whether Foundation sees the second.
        let other = "{ a: 1, // b: 1,\(end.text) c: 2,\n }"
        let read = try decoder.decode([String: Int].self, from: Data(other.utf8))
        #expect(read == (end.endsComment ? ["a": 1, "c": 2] : ["a": 1]))
    }

    @Test("is looked for in a great number of keys without ado")
    func many() {
        let keys = (0..<20_000).map { "a\($0):1" }.joined(separator: ",")
        #expect(RepeatedKey.first(in: "{\(keys),a19999:1}".utf8)?.path == "a19999")
    }

    @Test("is looked for in whatever bytes without an end of it")
    func anyBytes() {
        for byte in UInt8.min ... .max {
            for prefix in ["", "{", "{a:", "{a:1,\\", "'\\u", "{a /", "[\"\\x4"] {
                _ = RepeatedKey.first(in: Array(prefix.utf8) + [byte])
                _ = RepeatedKey.first(in: Array(prefix.utf8) + [byte] + Array(":1}".utf8))
            }
        }
    }
}
