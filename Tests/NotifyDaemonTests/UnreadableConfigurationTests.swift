// Files that are text in another encoding, or that Foundation understands in another way than somebody who reads them, and
// values that it cannot read: what is said of each is true, and names the place.

import Foundation
import NotifyBroker
import NotifyTestSupport
import Testing

@testable import NotifyDaemon

@Suite("A configuration file that cannot be understood")
struct UnreadableConfigurationTests {
    private func read(_ text: String) throws(ConfigurationError) -> Configuration {
        var configuration = Configuration()
        let source = ConfigurationSource(file: "test.json5", names: .empty)
        for setting in try ConfigurationFile.parse(Data(text.utf8), source).settings { setting(&configuration) }
        return configuration
    }

    private func fault(_ text: String) -> ConfigurationError? {
        do {
            _ = try read(text)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "has each key once all the same, whatever ends its lines", arguments: ["\n", "\r", "\r\n", "\r\r\n", "\n\r"])
    func lineEnds(end: String) throws {
        let once = ["{", " // limits", " limits: { clients: 1 }, // more", " channels: [ // none", " ],", "}", ""]
        #expect(try read(once.joined(separator: end)).limits.clients == 1)
        let twice = ["{", " // limits", " limits: { clients: 1 },", " limits: { clients: 2 }", "}", ""]
        #expect(fault(twice.joined(separator: end))?.key == "limits")
        let access = ["{ access: [ // who", " { allow: 'post', channels: 'a.>', allow: 'all' },", " ] }"]
        #expect(fault(access.joined(separator: end))?.key == "access[0].allow")
    }

    @Test("has no comment that some take for over, and others not", arguments: ["\u{2028}", "\u{2029}"])
    func doubtfulComment(separator: String) throws {
        let reason = "the comment of line 2 has U+2028 or U+2029 in it, where one may take it for over"
        #expect(fault("{\n // a\(separator) limits: { clients: 1 },\n }")?.reason == reason)
        #expect(fault("{\n // \(separator)")?.reason.contains("it ends before") == true)
        #expect(try read("{ /* a\(separator) */ socket: '/a\(separator)b' }").socket == "/a\(separator)b")
        #expect(try read("{ // \u{2027}\u{202A} a\u{E0}\u{A8}\n }") == Configuration())
    }

    static let encodings: [(name: String, encoding: String.Encoding, mark: [UInt8])] = [
        ("UTF-16LE", .utf16LittleEndian, [0xFF, 0xFE]), ("UTF-16BE", .utf16BigEndian, [0xFE, 0xFF]),
        ("UTF-32LE", .utf32LittleEndian, [0xFF, 0xFE, 0, 0]), ("UTF-32BE", .utf32BigEndian, [0, 0, 0xFE, 0xFF]),
    ]

    @Test("is UTF-8, and else says what it looks like", arguments: encodings)
    func otherEncoding(name: String, encoding: String.Encoding, mark: [UInt8]) throws {
        let source = ConfigurationSource(file: "x", names: .empty)
        for text in [
            "{}", "{ access: [ { deny: 'all', channels: 'a', channels: 'b' } ] }", " {世: 1}", "{世", "// é\n{}",
        ] {
            let bytes = try #require(text.data(using: encoding))
            for data in [bytes, Data(mark) + bytes] {
                let error = #expect(throws: ConfigurationError.self) { try ConfigurationFile.parse(data, source) }
                #expect(error?.reason == "looks like \(name), expected UTF-8", "\(text)")
            }
        }
        let mark = try ConfigurationFile.parse(Data([0xEF, 0xBB, 0xBF] + "{ spin_us: 1 }".utf8), source)
        #expect(mark.settings.count == 1, "its mark says that it is UTF-8")
    }

    @Test(
        "has no NUL byte",
        arguments: [("{ }\0", 1), ("{\n\r\n // \0\n}", 3), ("{ mode:\r '\0' }", 2), ("\0\0\0\0", 1)])
    func zero(text: String, line: Int) {
        #expect(fault(text)?.reason == "line \(line) has a NUL byte, expected text in UTF-8")
    }

    private static let escape = " in a string, which is no character that may stand there"
    private static let control = "a control character in a string, which is written "
    private static let number = ", which is no number in JSON5, or too large a one"

    /// Foundation takes these for strings and numbers until it has to read them.
    static let values: [(text: String, key: String, reason: String)] = [
        ("{\n mode: '0600',\n socket: '/tmp/\\u0000x',\n}", "socket", "line 3 has \\u0000\(escape)"),
        ("{ mode: '\\ud800' }", "mode", "line 1 has \\ud800\(escape)"),
        ("{ mode: '\\ud83d\\ude00\\udc00' }", "mode", "line 1 has \\udc00\(escape)"),
        ("{ mode: '\\ud83d\\u0041' }", "mode", "line 1 has \\ud83d\(escape)"),
        ("{\r mode: '\\x00' }", "mode", "line 2 has \\x00\(escape)"),
        ("{\r\n mode: '06\\q' }", "mode", "line 2 has \\q\(escape)"),
        ("{ mode: '\\é' }", "mode", "line 1 has \\é\(escape)"),
        ("{ mode: '\\u12g4' }", "mode", "line 1 has \\u12g4\(escape)"),
        ("{ '\\u0000': 1 }", "", "line 1 has \\u0000\(escape)"),
        ("{ limits: { '\\ud800': 1 } }", "", "line 1 has \\ud800\(escape)"),
        ("{ access: [ { allow: '\\u0000' } ] }", "access[0].allow", "line 1 has \\u0000\(escape)"),
        (
            "{ access: [ {allow: 'all' }, { allow: ['post',\n '\\ud800'] } ] }", "access[1].allow[1]",
            "line 2 has \\ud800\(escape)"
        ),
        ("{ mode: 'a\tb' }", "mode", "line 1 has \(control)\\u0009 there"),
        ("{ mode: '0600\n' }", "mode", "line 1 has a string that does not end there; a quote may be missing"),
        ("{\r mode: '06\r00' }", "mode", "line 2 has a string that does not end there; a quote may be missing"),
        ("{ limits: {\n traces: 1e400,\n clients: 5 } }", "limits.traces", "found 1e400 in line 2\(number)"),
        ("{ limits: { traces: 010 } }", "limits.traces", "found 010 in line 1\(number)"),
        ("{ limits: { traces: -00 } }", "limits.traces", "found -00 in line 1\(number)"),
        ("{ limits: { traces: + } }", "limits.traces", "found + in line 1\(number)"),
        ("{ limits: { traces: 1e } }", "limits.traces", "found 1e in line 1\(number)"),
        ("{ limits: { traces: 1e+ } }", "limits.traces", "found 1e+ in line 1\(number)"),
        ("{ limits: { traces: .5e- } }", "limits.traces", "found .5e- in line 1\(number)"),
        ("{ limits: { traces: 0x0x } }", "limits.traces", "found 0x0x in line 1\(number)"),
        ("{ limits: { traces: 1.2.3 } }", "limits.traces", "found 1.2.3 in line 1\(number)"),
        ("{ limits: { traces: 0xg } }", "limits.traces", "found 0xg in line 1\(number)"),
        ("{ limits: { traces: 1k } }", "limits.traces", "found 1k in line 1\(number)"),
        ("{ limits: { traces: Infinit } }", "limits.traces", "found Infinit in line 1\(number)"),
        ("{ spin_us: 7, limits: { traces: 08 }, mode: 5 }", "limits.traces", "found 08 in line 1\(number)"),
    ]

    @Test("in which a value cannot be read says which, and where", arguments: values)
    func unreadable(text: String, key: String, reason: String) {
        let fault = fault(text)
        #expect(fault?.key == key && fault?.reason == reason, "\(fault.map { "\($0)" } ?? "accepted")")
    }

    @Test(
        "with a number that nobody could count to says so",
        arguments: [
            "0xFFFFFFFFFFFFFFFFFFFF", "-0x8000000000000001", "99999999999999999999", "1e300",
            "0x1FFFFFFFFFFFFFFFFFFFFFFFFFFFF",
        ])
    func tooLarge(number: String) {
        let fault = fault("{ limits: { traces: \(number) } }")
        #expect(fault?.key == "limits.traces")
        #expect(
            fault?.reason.contains("expected an integer from 0 to 10000") == true
                || fault?.reason.contains("too large a one") == true, "\(fault?.reason ?? "accepted")")
    }

    @Test("has no more brackets within each other than Foundation reads, and says so")
    func depth() {
        func nested(_ depth: Int) -> String {
            "{ mode:\n" + String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1) + "\n}"
        }
        #expect(fault(nested(512))?.key == "mode")
        #expect(fault(nested(513))?.reason == "line 2 has more than 512 brackets within each other")
    }

    @Test("of something long says the beginning")
    func long() {
        let long = String(repeating: "a", count: 20_000)
        for text in [
            "{ access: [ { allow: 'all', unit: '\(long)' } ] }", "{ socket: '\(long)' }", "{ mode: '\(long)' }",
            "{ access: [ { allow: '\(long)' } ] }", "{ access: [ { allow: 'all', user: '\(long)' } ] }",
            "{ \(long): 1 }", "{ channels: [ { pattern: '\(long)' } ] }", "{ log_level: '\(long)' }",
            "{ spin_us: 1\(long) }",
        ] {
            let fault = fault(text)
            #expect((1..<600).contains(fault.map { "\($0)".count } ?? 0), "\(text.prefix(30))")
        }
        let atMost = String(repeating: "é", count: 100)
        #expect(fault("{ mode: '\(atMost)' }")?.reason.hasPrefix("found \"\(atMost)\", expected") == true)
        #expect(fault("{ mode: '\(atMost)é' }")?.reason.hasPrefix("found \"\(atMost)…\", expected") == true)
    }
}
