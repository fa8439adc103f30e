// What one valid payload tells about others of its length: all that is admitted is valid, and what differs in its values
// alone is admitted.

import NotifyWire
import Testing

@Suite("The shape of a payload")
struct PayloadShapeTests {
    private static func admits(_ learnt: String, _ other: String) -> Bool {
        var shape = PayloadShape()
        Line.with(learnt) { shape.learn(ByteSlice(from: $0, to: $1)) }
        guard shape.count == other.utf8.count, shape.count > 0 else { return false }
        var result = false
        Line.with(other) { start, _ in result = shape.admits(start) }
        return result
    }

    private static func isValid(_ payload: [UInt8]) -> Bool {
        var result = false
        Line.with(payload) { start, end in
            var scanner = JSONScanner(start: start, end: end)
            result = scanner.scanValue(outer: 1) && scanner.isAtEnd
        }
        return result
    }

    @Test(
        "admits the same with other values",
        arguments: [
            (#"{"n":1999,"pad":"xyz"}"#, #"{"n":2000,"pad":"abc"}"#),
            (#"{"n":1999,"pad":"xyz"}"#, #"{"n":1999,"pad":"xyz"}"#),
            (#"[12.5,"2026-11-30T12:00:00Z"]"#, #"[99.0,"2027-01-01T00:00:01Z"]"#),
            (#"{"é":10}"#, #"{"é":11}"#), ("123", "921"), (#""[0Aa}""#, #""Z9Bz]""#), ("[0,-1,true]", "[0,-9,true]"),
            (#""x""#, "\"\u{7F}\""), ("1e10", "9e11"),
        ])
    func sameShape(learnt: String, other: String) {
        #expect(Self.admits(learnt, other))
    }

    @Test(
        "does not admit what may not be valid, or what would have to be looked at to know",
        arguments: [
            // Not JSON.
            ("[10,20]", "[10,0 ]"), ("[10,20]", "[00,20]"), ("[10,20]", "[10,2x]"), (#"["ab"]"#, #"["a""]"#),
            (#"["ab"]"#, #"["a\"]"#), (#"["ab"]"#, "[\"a\n\"]"), (#"["ab"]"#, "[\"a\t\"]"), ("[0]", "[x]"),
            ("[-1]", "[--]"), ("[1.5]", "[1.e]"), ("[1.5]", "[1.,]"), ("true", "trux"),
            ("[1 ]", "[1x]"), ("[1]", "[1}"),
            (#"{"a":1}"#, #"{"a",1}"#), ("1e+5", "1e++"), ("1e5", "1ee"), ("10", "1-"), ("10", "01"),
            // The byte after the last.
            ("\"aa\"", "\"a\"\""),
            // Valid, and scanned.
            (#"{"n":1}"#, #"{"n":0}"#), (#"["a"]"#, #"[123]"#), ("true", "null"), ("[1,2]", "[1.2]"), ("[ 1]", "[12]"),
            (#"["é"]"#, #"["è"]"#), (#"["ab"]"#, #"["é"]"#), (#"["!"]"#, #"["a"]"#),
        ])
    func otherShape(learnt: String, other: String) {
        #expect(learnt.utf8.count == other.utf8.count)
        #expect(!Self.admits(learnt, other))
    }

    @Test("is not learnt from escapes, of which every byte may count", arguments: [#""\ud83d\ude00""#, #"["\n"]"#])
    func escapes(payload: String) {
        #expect(!Self.admits(payload, payload))
    }

    @Test("is learnt of payloads up to its bound, and not of longer ones")
    func bound() {
        let longest = "\"" + String(repeating: "x", count: PayloadShape.maximumBytes - 2) + "\""
        #expect(Self.admits(longest, longest))
        let tooLong = "\"" + String(repeating: "x", count: PayloadShape.maximumBytes - 1) + "\""
        #expect(!Self.admits(tooLong, tooLong))
    }

    @Test("looks at every byte, wherever in it the difference is")
    func everyByte() {
        for count in 1...40 {
            let payload = Array("\"\(String(repeating: "x", count: count))\"".utf8)
            var shape = PayloadShape()
            Line.with(payload) { shape.learn(ByteSlice(from: $0, to: $1)) }
            for index in payload.indices {
                var other = payload
                other[index] = 0x1F
                Line.with(other) { start, _ in
                    let isAdmitted = shape.admits(start)
                    #expect(!isAdmitted, "byte \(index) of \(payload.count)")
                }
            }
        }
    }

    @Test("admits nothing that is not valid, whatever is learnt and however that is changed")
    func changed() {
        var random = SystemRandomNumberGenerator()
        let seeds = [
            #"{"n":1000000001,"pad":"xxxx","on":true,"t":[1.5e10,-0.25,0,null,"é~!# "]}"#, "[[[0]],{}]", "-12.75E+3",
            #"{"":{"a b":[ 1 , 20 ]}}"#,
        ].map { Array($0.utf8) }
        let letters = Array(#"{}[]:,"\ .-+eE0123456789aZ~!#"#.utf8) + [0, 9, 10, 0x7F, 0xC3, 0xA9]
        var admitted = 0
        for seed in seeds {
            var shape = PayloadShape()
            Line.with(seed) { shape.learn(ByteSlice(from: $0, to: $1)) }
            for _ in 1...5_000 {
                var other = seed
                for _ in 1...Int.random(in: 1...3, using: &random) {
                    let index = other.indices.randomElement(using: &random) ?? 0
                    other[index] = letters.randomElement(using: &random) ?? 0
                }
                Line.with(other) { start, _ in
                    guard shape.admits(start) else { return }
                    admitted += 1
                    #expect(Self.isValid(other), "\(String(decoding: other, as: UTF8.self))")
                }
            }
        }
        #expect(admitted > 0)
    }

    @Test("is learnt more and more rarely where no payload is like another, and often again where they are")
    func pauses() {
        var shape = PayloadShape()
        /// How many payloads are noticed until one is learnt.
        func untilLearnt(_ length: Int) -> Int {
            let payload = "\"" + String(repeating: "x", count: length) + "\""
            for count in 1...100_000 {
                Line.with(payload) { shape.notice(ByteSlice(from: $0, to: $1)) }
                if shape.count == payload.utf8.count { return count }
            }
            return .max
        }
        #expect((1...4).map { untilLearnt($0) } == [1, 16, 32, 64])
        Line.with("\"xxxx\"") { start, _ in
            let isAdmitted = shape.admits(start)
            #expect(isAdmitted)
        }
        // The pause that had begun goes on, the next one is short again.
        #expect((5...7).map { untilLearnt($0) } == [128, 16, 32])
        for length in 8...30 { _ = untilLearnt(length) }
        #expect(untilLearnt(31) == 4096)
    }
}
