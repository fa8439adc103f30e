// What looks for repeated keys sees the same keys as Foundation, whatever stands between them.

import Foundation
import NotifyTestSupport
import Testing

@testable import NotifyDaemon

@Suite("Going through JSON5")
struct JSON5ScanTests {
    /// All keys of a text, with those around them, as Foundation has them.
    private struct Keys: Decodable {
        var paths: [String] = []

        init(from decoder: any Decoder) throws {
            if let object = try? decoder.container(keyedBy: AnyKey.self) {
                for key in object.allKeys {
                    let inner = try object.decode(Keys.self, forKey: key)
                    paths += [key.stringValue] + inner.paths.map { "\(key.stringValue).\($0)" }
                }
            } else if var list = try? decoder.unkeyedContainer() {
                for index in 0..<(list.count ?? 0) {
                    paths += try list.decode(Keys.self).paths.map { "[\(index)].\($0)" }
                }
            }
        }
    }

    private static func seen(in text: String) -> [String] {
        var scan = JSON5Scan(text.utf8)
        var paths: [String] = []
        while let byte = scan.next() {
            _ = scan.take(byte)
            if byte == UInt8(ascii: ":") { paths.append(scan.path.replacing("][", with: "].[")) }
        }
        return paths.map { $0.replacing(/([^.])\[/) { "\($0.1).[" } }
    }

    @Test("finds the keys that Foundation finds, in texts made at random")
    func keys() throws {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        var found = 0
        for seed in 0..<2000 {
            var writer = JSON5Writer(random: SplitMix(state: UInt64(seed)))
            let text = writer.gap() + writer.object(depth: 0) + writer.gap()
            let keys = try decoder.decode(Keys.self, from: Data(text.utf8)).paths.sorted()
            #expect(Self.seen(in: text).sorted() == keys, "\(seed): \(text.debugDescription)")
            #expect(RepeatedKey.first(in: text.utf8) == nil, "\(seed): \(text.debugDescription)")
            found += keys.count
        }
        #expect(found > 5000)
    }
}

/// Writes JSON5 that looks like something else wherever it can.
private struct JSON5Writer {
    var random: SplitMix

    mutating func gap() -> String {
        let choices = [
            "", " ", "\n", "\r", "\r\n", "\t\u{B}\u{C}", "// z: 1,\n", "// z: 1,\r", "// { '\r\n", "/* z: 1, */",
            "/*\r'*/",
            "/***/", "/*/ { */", "/**//* \"*/", "// \u{2028} z: 1,\n", "//\r//\r", "//*\n", "// \\\n", "/* // */",
            "// /* \r",
        ]
        return (0..<Int.random(in: 0...2, using: &random)).map { _ in random.pick(choices) }.joined()
    }

    mutating func object(depth: Int) -> String {
        let keys = ["a", "b", "it's", "c\"d", "e:f", "{g", "//h", "é", "i\nj"].shuffled(using: &random).prefix(
            Int.random(in: 0...4, using: &random))
        var members = ""
        for (index, name) in keys.enumerated() {
            let isLast = index == keys.count - 1
            members += gap() + key(name) + gap() + ":" + gap() + value(depth: depth + 1) + gap()
            members += isLast && random.once(in: 2) ? "" : ","
        }
        return "{" + members + gap() + "}"
    }

    private mutating func key(_ name: String) -> String {
        if name.allSatisfy(\.isLetter), random.once(in: 2) { return name }
        let isDouble = random.once(in: 2)
        let quote: Character = isDouble ? "\"" : "'"
        return String(quote) + name.map { letter($0, quote) }.joined() + String(quote)
    }

    private mutating func letter(_ letter: Character, _ quote: Character) -> String {
        if letter == "\n" { return random.pick(["\\n", "\\\n", "\\u000a", "\\x0a"]) }
        if letter == quote || random.once(in: 4), let value = letter.asciiValue {
            let digits = String(value, radix: 16)
            return random.pick(["\\x\(digits)", "\\u00\(digits)"])
        }
        return letter == quote ? "\\\(letter)" : String(letter)
    }

    private mutating func value(depth: Int) -> String {
        if depth < 4, random.once(in: 3) { return object(depth: depth) }
        if depth < 4, random.once(in: 4) {
            let elements = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                gap() + value(depth: depth + 1) + gap()
            }
            return "[\(elements.joined(separator: ","))\(gap())]"
        }
        return random.pick([
            "1", "-0x1F", ".5", "Infinity", "null", "true", "''", "\"}\"", "'//'", "'/*'", "'\\''", "\"'\"", "'\"'",
            "'a: 1, b: 2'",
            "'\\\\'", "'\\\r\n:'", "'\\\r'", "'\\\n'", "'\\u003a\\x7b'", "'\\/\\\\'", "'\u{2028}'",
        ])
    }
}
