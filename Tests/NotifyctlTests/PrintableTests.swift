// Text from others, made visible.

import Foundation
import NotifyTestSupport
import Testing

@testable import notifyctl

@Suite("Text from others")
struct PrintableTests {
    @Test(
        "shows in a name what nobody would see",
        arguments: [
            0x00AD, 0x034F, 0x061C, 0x115F, 0x180E, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2028, 0x202A, 0x202E,
            0x2060,
            0x2064, 0x2066, 0x206F, 0x2800, 0x3164, 0xFE0F, 0xFEFF, 0xFFA0, 0xFFF9, 0xE0001, 0xE0041, 0xE007F, 0xE01EF,
            0x1D173, 0x00A0, 0x2003, 0x200A, 0x202F, 0x205F, 0xE000, 0x0378, 0x10FFFF, 0x7F, 0x9B, 0x00, 0x1B,
        ] as [UInt32])
    func hidden(value: UInt32) throws {
        let scalar = try #require(Unicode.Scalar(value))
        let digits = String(value, radix: 16)
        let shown =
            digits.count > 4 ? "\\u{\(digits)}" : "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        #expect(Printable.text("ad\(scalar)min") == "ad\(shown)min")
    }

    @Test(
        "leaves the letters of every script as they are",
        arguments: [
            "shop.cart", "é", "e\u{301}", "世界", "東京\u{3000}駅", "🎈", "Привет", "שלום", "한글", "a b", "\u{FFFD}", "",
        ])
    func letters(text: String) {
        #expect(Printable.text(text) == text)
        #expect(Printable.payload(text.utf8) == text)
    }

    @Test("shows two names in two ways, whatever backslashes they have")
    func unambiguous() {
        let names = [
            "a\u{200B}", "a\\u200b", "a\\\u{200B}", "a\\\\u200b", "a\\\\\u{200B}", "a\\\\\\u200b", "a", "a\\", "au200b",
            "a\u{E0041}", "a\u{E004}1", "a\\u{e0041}",
        ]
        #expect(Set(names.map { Printable.text($0) }).count == names.count)
        #expect(Printable.text("a\\u200b") == "a\\\\u200b")
        #expect(Printable.text("dev-by\\x2duuid.device") == "dev-by\\x2duuid.device", "only where it matters")
    }

    @Test("keeps in a payload what running text needs, and nothing else that is hidden")
    func payload() {
        for text in ["👩\u{200D}💻", "❤\u{FE0F}", "می\u{200C}خواهم", "\"a\\u200b\\n\"", "a\u{A0}b"] {
            #expect(Printable.payload(text.utf8) == text)
        }
        #expect(
            Printable.payload("a\u{200B}\u{E0041}\u{202E}\u{FEFF}\u{1B}".utf8)
                == "a\\u200b\\u{e0041}\\u202e\\ufeff\\u001b")
    }

    @Test("that is JSON stays JSON, and means the same, with nothing in it that is obeyed or hidden")
    func json() throws {
        #expect(
            Printable.json("{\"a\u{9B}\":\r[\t\"\u{202E}\u{E0041}\u{7F}\"],\n\"👩\u{200D}💻❤\u{FE0F}\":1}")
                == "{\"a\\u009b\": [\t\"\\u202e\\udb40\\udc41\\u007f\"],\n\"👩\u{200D}💻❤\u{FE0F}\":1}")
        var random = SplitMix(state: 11)
        for _ in 0..<500 {
            var text = ""
            for _ in 0..<8 {
                let value = random.once(in: 9) ? 0xE0000 + UInt32(random.next() % 256) : UInt32(random.next() % 0x3000)
                if value >= 0x20, let scalar = Unicode.Scalar(value), scalar != "\"", scalar != "\\" {
                    text.unicodeScalars.append(scalar)
                }
            }
            let shown = Printable.json("[\r\"\(text)\"\r]")
            let values = shown.unicodeScalars.map(\.value)
            #expect(!values.contains { $0 == 0x0D || 0x7F..<0xA0 ~= $0 || 0x202A...0x202E ~= $0 })
            let read = try JSONDecoder().decode([String].self, from: Data(shown.utf8))
            #expect(read[0].unicodeScalars.elementsEqual(text.unicodeScalars), "\(shown)")
        }
    }

    @Test("is safe in a line for standard error, where names are safe already")
    func line() {
        #expect(Printable.line("a\u{1B}\u{9B}\u{202E}\n\u{2029}b") == "a\\u001b\\u009b\\u202e\\u000a\\u2029b")
        let safe = "a \\u001b 世 '\(Printable.text("x\\u001b\u{1B}"))'"
        #expect(Printable.line(safe) == safe)
    }

    @Test("is in tables, in top and in messages, where names stand")
    func places() {
        let (one, other) = ("admin", "ad\u{200B}min")
        func table(_ name: String) -> String {
            var table = Table([.init(title: "NAME")])
            table.add([name])
            return table.lines(width: nil, style: .plain)[1]
        }
        #expect(table(one) != table(other) && table(other) == "ad\\u200bmin")
        #expect(Cells.text(other) == "ad\\u200bmin")
        let message = MessageFields(
            channel: "a", type: other, subject: other, payload: Array("\"👩\u{200D}💻\"".utf8), sequence: 1, position: 1,
            time: "2026-11-29T12:00:00.000000Z", uid: 0, pid: 1, isReplay: false)
        let line = PrettyMessage(style: .plain).line(message)
        #expect(line.hasSuffix("  a  ad\\u200bmin  ad\\u200bmin  \"👩\u{200D}💻\""))
    }
}
