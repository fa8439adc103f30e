// The scanner against another implementation: Python's json module, made strict, judges a seeded corpus of documents
// that are valid or nearly so.

import Foundation
import NotifyTestSupport
import NotifyWire
import Testing

@Suite("The scanner and Python's json")
struct IndependentJudgeTests {
    /// One document per line in hex; one verdict per line out.
    private static let judge = """
        import json, sys
        def refuse(name): raise ValueError(name)
        for line in open(sys.argv[1]):
            try:
                text = bytes.fromhex(line.strip()).decode('utf-8')
                value = json.loads(text, parse_constant=refuse, object_pairs_hook=list)
                json.dumps(value, ensure_ascii=False).encode('utf-8')
                print(1)
            except (ValueError, UnicodeError):
                print(0)
        """

    @Test("agree on a corpus of broken and whole documents")
    func corpus() async throws {
        var random = SplitMix(state: 2026)
        let corpus = (0..<6000).map { _ in Self.document(&random) }
        let directory = try TemporaryDirectory()
        let file = URL(filePath: directory.path("corpus"))
        try Data(corpus.map(Self.hex).joined(separator: "\n").utf8).write(to: file)
        let outcome = try await Command.run("python3", ["-c", Self.judge, file.path])
        #expect(outcome.status == 0, "\(outcome.summary)")
        let verdicts = outcome.output.split(separator: "\n").map { $0 == "1" }
        try #require(verdicts.count == corpus.count)
        var accepted = 0
        for (document, verdict) in zip(corpus, verdicts) {
            let isValid = Self.isValid(document)
            if isValid { accepted += 1 }
            #expect(isValid == verdict, "\(String(decoding: document, as: UTF8.self)) = \(Self.hex(document))")
        }
        #expect((1000...5000).contains(accepted), "\(accepted): the corpus must hold enough of both kinds")
    }

    private static func isValid(_ bytes: [UInt8]) -> Bool {
        var result = false
        Line.with(bytes) { start, end in
            var scanner = JSONScanner(start: start, end: end)
            scanner.skipWhitespace()
            result = scanner.scanValue(outer: 0) && scanner.finish()
        }
        return result
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef")
        return bytes.reduce(into: "") { text, byte in
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
    }

    /// A random value as text, then up to two random bytes changed. No newlines: they are not part of a line.
    private static func document(_ random: inout SplitMix) -> [UInt8] {
        var bytes = Array(value(&random, depth: 0).utf8)
        let alphabet =
            Array(#"{}[]":,\/u0123456789+-.eEtrufalsn dD8"#.utf8) + [
                0x00, 0x09, 0x0D, 0x1F, 0x7F, 0x80, 0xC3, 0xED, 0xF0,
            ]
        for _ in 0..<Int.random(in: 0...2, using: &random) where !bytes.isEmpty {
            let at = Int.random(in: bytes.indices, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: bytes[at] = random.pick(alphabet)
            case 1: bytes.remove(at: at)
            default: bytes.insert(random.pick(alphabet), at: at)
            }
        }
        return bytes
    }

    private static func value(_ random: inout SplitMix, depth: Int) -> String {
        let space = random.pick(["", "", "", " ", "\t", " \r"])
        switch Int.random(in: 0..<(depth > 4 ? 4 : 6), using: &random) {
        case 0: return space + random.pick(["true", "false", "null"]) + space
        case 1: return space + number(&random)
        case 2, 3: return space + string(&random) + space
        case 4:
            let elements = (0..<Int.random(in: 0...3, using: &random)).map { _ in value(&random, depth: depth + 1) }
            return space + "[" + elements.joined(separator: ",") + "]"
        default:
            let members = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                string(&random) + ":" + value(&random, depth: depth + 1)
            }
            return "{" + space + members.joined(separator: ",") + "}"
        }
    }

    private static func number(_ random: inout SplitMix) -> String {
        random.pick(["", "-"]) + random.pick(["0", "1", "42", "9007199254740993", "01"])
            + random.pick(["", "", ".0", ".5", "."]) + random.pick(["", "", "e1", "E+10", "e-2", "e"])
    }

    private static func string(_ random: inout SplitMix) -> String {
        let pieces = [
            "a", "key", " ", "é", "€", "😀", "\u{2028}", #"\n"#, #"\""#, #"\\"#, #"\/"#, #"\u0041"#, #"\ud83d\ude00"#,
            #"\ud83d"#, #"\udc00"#, #"\u12"#, "\u{7F}", "0123456789abcdefghij",
        ]
        return "\"" + (0..<Int.random(in: 0...4, using: &random)).map { _ in random.pick(pieces) }.joined() + "\""
    }
}
