// `--format`.

import Testing

@testable import notifyctl

@Suite("A message format")
struct MessageFormatTests {
    static let message = MessageFields(
        channel: "shop.cart", type: "CartDidChange", subject: nil, payload: Array("{\"n\":1}".utf8), sequence: 42,
        position: 18_446_744_073_709_551_615, epoch: "0af3", time: "2026-11-29T12:00:00.123456Z", uid: 1000, pid: 812,
        isReplay: false)

    private func text(_ template: String) throws -> String {
        var output: [UInt8] = []
        try MessageFormat(template).append(Self.message, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test(
        "fills in each letter",
        arguments: [
            ("%c %t %s %p", "shop.cart CartDidChange  {\"n\":1}"), ("%q/%P", "42/18446744073709551615"),
            ("pos:%P/%e", "pos:18446744073709551615/0af3"),
            ("%T", "2026-11-29T12:00:00.123456Z"), ("%u:%i", "1000:812"), ("100%%", "100%"),
            ("a\\tb\\nc\\0d\\\\", "a\tb\nc\0d\\"),
            ("", ""), ("é😀", "é😀"), ("%%c", "%c"),
        ])
    func letters(template: String, expected: String) throws {
        #expect(try text(template) == expected)
    }

    @Test("refuses what it does not know", arguments: ["%z", "%", "a%", "\\x", "\\", "%é", "% c"])
    func unknown(template: String) {
        do throws(Failure) {
            _ = try MessageFormat(template)
            Issue.record("accepted")
        } catch {
            #expect(error.status == .usage)
        }
    }
}
