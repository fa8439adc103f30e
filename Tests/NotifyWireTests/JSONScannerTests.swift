// What is one strict JSON value (RFC 8259) and what is not, and where it stops being one.

import NotifyTestSupport
import NotifyWire
import Testing

@Suite("The scanner")
struct JSONScannerTests {
    /// nil: a valid value that fills the line. Else where it fails, and what was expected there.
    private func fault(_ bytes: [UInt8], outer: Int = 0) -> (offset: Int, expected: String)? {
        var result: (Int, String)?
        Line.with(bytes) { start, end in
            var scanner = JSONScanner(start: start, end: end)
            if !(scanner.scanValue(outer: outer) && scanner.finish()) {
                result = (scanner.failure.offset, scanner.failure.expected.description)
            }
        }
        return result
    }

    private func fault(_ text: String, outer: Int = 0) -> (offset: Int, expected: String)? {
        fault(Array(text.utf8), outer: outer)
    }

    @Test(
        "takes every kind of value",
        arguments: [
            "0", "-0", "1", "10", "-1", "1.0", "0.5", "-0.0", "1e2", "1E+2", "1e-2", "0e0", "1.5e300", "1e400",
            "18446744073709551616", "123456789012345678901234567890", "true", "false", "null", #""""#, #""a""#, #"" ""#,
            #""\"\\\/\b\f\n\r\t""#, #""\u0000\u001f\u007F\uFFFF""#, #""\ud83d\ude00""#, #""\uD83D\uDE00""#,
            #""\udbff\udfff""#,
            "\"é€😀\"", "\"\u{2028}\u{2029}\u{85}\u{7F}\u{FFFD}\u{FEFF}\"", "\"\u{FFFE}\u{10FFFF}\"",
            "[]", "[ ]", "[1]", "[1,2]", "[ 1 , [ ] , { } ]", "{}", "{ }", #"{"a":1}"#, #"{"":0}"#, #"{"a":1,"a":2}"#,
            #"{ "a" : [ { "b" : null } ] , "c" : "d" }"#, "[1]\r", "[1] \t\r", "\"0123456789abcdef0123456789abcdef\"",
        ])
    func valid(text: String) {
        #expect(fault(text) == nil)
    }

    @Test(
        "refuses what is not strict, at the byte where it goes wrong",
        arguments: [
            ("", 0, "a value"), ("nul", 0, "a value"), ("True", 0, "a value"), ("truee", 4, "the end of the line"),
            ("NaN", 0, "a value"), ("Infinity", 0, "a value"), ("-Infinity", 1, "a digit"), ("'a'", 0, "a value"),
            ("01", 1, "no digit after a leading zero"), ("-01", 2, "no digit after a leading zero"),
            ("-", 1, "a digit"),
            ("+1", 0, "a value"), (".5", 0, "a value"), ("1.", 2, "a digit after the decimal point"),
            ("1.e1", 2, "a digit after the decimal point"), ("1e", 2, "a digit in the exponent"),
            ("1e+", 3, "a digit in the exponent"), ("0x10", 1, "the end of the line"),
            ("1_0", 1, "the end of the line"),
            ("1 2", 2, "the end of the line"), ("[1,]", 3, "a value"), ("[,1]", 1, "a value"),
            ("[1 2]", 3, "',' or ']'"),
            ("[1", 2, "',' or ']'"), ("[", 1, "a value"), ("]", 0, "a value"), ("[1}", 2, "',' or ']'"),
            (#"{"a":1,}"#, 7, "a key"), (#"{"a"}"#, 4, "':'"), (#"{"a" 1}"#, 5, "':'"), (#"{"a":}"#, 5, "a value"),
            ("{a:1}", 1, "a key"), ("{1:1}", 1, "a key"), (#"{"a":1"#, 6, "',' or '}'"), (#"{"a":1]"#, 6, "',' or '}'"),
            (#"{"a":1 "b":2}"#, 7, "',' or '}'"), ("{,}", 1, "a key"), ("[] []", 3, "the end of the line"),
            ("[1] // x", 4, "the end of the line"), ("/**/1", 0, "a value"), ("[1/**/]", 2, "',' or ']'"),
            ("\u{FEFF}1", 0, "a value"), ("\u{A0}1", 0, "a value"), ("\u{B}1", 0, "a value"), ("\u{C}1", 0, "a value"),
            ("\"a", 2, "a closing quote"), ("\"\\\"", 3, "a closing quote"), ("\"\\", 1, "a valid escape"),
            ("\"\t\"", 1, "no unescaped control character in a string"),
            ("\"a\u{0}b\"", 2, "no unescaped control character in a string"),
            ("\"\u{1F}\"", 1, "no unescaped control character in a string"),
            (#""\x41""#, 1, "a valid escape"), (#""\a""#, 1, "a valid escape"), (#""\'""#, 1, "a valid escape"),
            (#""\u12""#, 1, "four hexadecimal digits after \\u"),
            (#""\u12g4""#, 1, "four hexadecimal digits after \\u"),
            (#""\u""#, 1, "four hexadecimal digits after \\u"), (#""\U0041""#, 1, "a valid escape"),
            (#""\udff3""#, 1, "no lone surrogate escape"), (#""\ud83d""#, 1, "a low surrogate escape after a high one"),
            (#""\ud83dx""#, 1, "a low surrogate escape after a high one"),
            (#""\ud83d\u0041""#, 1, "a low surrogate escape after a high one"),
            (#""\ud83d\n""#, 1, "a low surrogate escape after a high one"),
            (#""\ude00\ud83d""#, 1, "no lone surrogate escape"),
            (#""\ud83d\ud83d\ude00""#, 1, "a low surrogate escape after a high one"),
            (#""\ud83d\u""#, 1, "a low surrogate escape after a high one"),
            (#"{"\ud800":1}"#, 2, "a low surrogate escape after a high one"),
        ])
    func invalid(text: String, offset: Int, expected: String) {
        let found = fault(text)
        #expect(found?.offset == offset)
        #expect(found?.expected == expected)
    }

    @Test("takes exactly the well-formed UTF-8 sequences inside strings")
    func utf8() {
        let interesting: [UInt8] = [0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF]
        var disagreements: [[UInt8]] = []
        for lead in UInt8(0x80)...0xFF {
            for second in interesting {
                for third in [0x41, 0x7F, 0x80, 0xBF, 0xC0] as [UInt8] {
                    for fourth in [0x41, 0x80, 0xBF, 0xC0] as [UInt8] {
                        let bytes = [lead, second, third, fourth]
                        let isText = second >= 0x20 && String(validating: bytes, as: UTF8.self) != nil
                        if (fault([0x22] + bytes + [0x22]) == nil) != isText { disagreements.append(bytes) }
                    }
                }
            }
        }
        #expect(disagreements.isEmpty)
    }

    @Test("refuses a UTF-8 sequence that the line or the string cuts off", arguments: [1, 2, 3])
    func cutSequence(length: Int) {
        let bytes = [0x22] + Array("😀".utf8.prefix(length))
        #expect(fault(bytes)?.offset == 1)
        #expect(fault(bytes + [0x22])?.offset == 1)
        #expect(fault(bytes + [0x22])?.expected == "valid UTF-8")
    }

    @Test("finds what must not stand in a string at every distance from its start")
    func everyAlignment() {
        for length in 0..<40 {
            let plain = [UInt8](repeating: 0x61, count: length)
            #expect(fault([0x22] + plain + [0x22]) == nil)
            #expect(fault([0x22] + plain + [0x1F] + plain + [0x22])?.offset == length + 1)
            #expect(fault([0x22] + plain + [0xFF] + plain + [0x22])?.offset == length + 1)
            #expect(fault([0x22] + plain + Array("\\u00e9é".utf8) + plain + [0x22]) == nil)
            #expect(fault([0x22] + plain)?.offset == length + 1)
        }
    }

    @Test("counts levels of nesting together with those around the value", arguments: [0, 1, 2, 3])
    func depth(outer: Int) {
        for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
            func nested(_ levels: Int) -> String {
                let inner = open == "[" ? "" : "1"
                return String(repeating: open, count: levels) + inner + String(repeating: close, count: levels)
            }
            let most = JSONScanner.maximumDepth - outer
            #expect(fault(nested(most - 1), outer: outer) == nil)
            #expect(fault(nested(most), outer: outer) == nil)
            #expect(fault(nested(most + 1), outer: outer)?.expected == "at most 128 levels of nesting")
            #expect(fault(nested(most + 1), outer: outer)?.offset == most * open.utf8.count)
        }
    }

    @Test("survives a hundred thousand open brackets")
    func bracketFlood() {
        #expect(fault(String(repeating: "[", count: 100_000))?.offset == 128)
        #expect(fault(String(repeating: "[],", count: 1000)) != nil)
    }

    @Test("leaves the key, raw, with a note about escapes")
    func keys() {
        Line.with(#""k\u0065y" : 1"#) { start, end in
            var scanner = JSONScanner(start: start, end: end)
            let isKey = scanner.scanKey()
            #expect(isKey)
            #expect(scanner.string.text == #"k\u0065y"#)
            #expect(scanner.stringHasEscapes)
            #expect(scanner.at.pointee == UInt8(ascii: "1"))
        }
    }
}
