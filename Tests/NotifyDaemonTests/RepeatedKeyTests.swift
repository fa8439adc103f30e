// Keys that stand twice are found however they are written, and nothing else is taken for one.

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
            ("{a:[1,[2,{b:1,b:2}]]}", "a[1][1].b", 1),
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
