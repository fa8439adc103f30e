// Texts of others in the log and in sentences: a terminal obeys nothing in them.

import Foundation
import NotifyLock
import NotifyTestSupport
import Testing

@testable import NotifyDaemon

@Suite("Text on its way to a person")
struct PrintableTextTests {
    /// The first and the last of each kind.
    static let obeyed: [UInt32] = [
        0x00, 0x07, 0x09, 0x0A, 0x0D, 0x1B, 0x1F, 0x7F, 0x80, 0x85, 0x9B, 0x9F, 0x061C, 0x200E, 0x200F, 0x2028, 0x2029,
        0x202A, 0x202E, 0x2066, 0x2069,
    ]
    static let shown: [UInt32] = [0x20, 0x7E, 0xA0, 0x061B, 0x061D, 0x200D, 0x2010, 0x2027, 0x202F, 0x2065, 0x206A]

    @Test("has numbers for what is obeyed", arguments: obeyed)
    func escaped(value: UInt32) throws {
        let scalar = try #require(Unicode.Scalar(value))
        let digits = String(value, radix: 16)
        let escape = "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        #expect("é\(scalar)z".printable == "é\(escape)z")
        #expect("é\(scalar)z".quoted == "\"é\(escape)z\"")
        #expect("\(escape)".printable == escape, "what is safe already stays")
    }

    @Test("is what it was otherwise", arguments: shown)
    func unchanged(value: UInt32) throws {
        let scalar = try #require(Unicode.Scalar(value))
        #expect("a\(scalar)z".printable == "a\(scalar)z")
    }

    @Test("that is quoted can be read again, whatever it is")
    func quoted() throws {
        var random = SplitMix(state: 4)
        for _ in 0..<500 {
            var text = ""
            for _ in 0..<8 {
                if let scalar = Unicode.Scalar(UInt32(random.next() % 0x3000)) { text.unicodeScalars.append(scalar) }
            }
            let read = try JSONDecoder().decode(String.self, from: Data(text.quoted.utf8))
            #expect(read.unicodeScalars.elementsEqual(text.unicodeScalars))
        }
    }

    @Test("is safe in the line of a log, and in its fields")
    func line() {
        let line = LogWriter.Line(level: .info, text: "a\u{1B}b", fields: [("NOTIFYD_CHANNEL", "c\u{202E}d")]).printable
        #expect(line.text == "a\\u001bb" && line.level == .info)
        #expect(line.fields.map(\.0) == ["NOTIFYD_CHANNEL"] && line.fields.map(\.1) == ["c\\u202ed"])
    }
}
