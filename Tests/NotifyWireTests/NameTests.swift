// The grammar of channels, patterns and labels, byte for byte.

import NotifyWire
import Testing

@Suite("Names")
struct NameTests {
    private func channelFault(_ text: String) -> NameFault? { with(text) { ChannelName.fault(in: $0) } }
    private func patternFault(_ text: String) -> NameFault? { with(text) { PatternName.fault(in: $0) } }

    private func with<R>(_ text: String, _ body: (ByteSlice) -> R) -> R {
        with(Array(text.utf8), body)
    }

    private func with<R>(_ bytes: [UInt8], _ body: (ByteSlice) -> R) -> R {
        (bytes + [0]).withUnsafeBufferPointer { body(ByteSlice($0.baseAddress.unsafelyUnwrapped, bytes.count)) }
    }

    @Test("may be made of exactly the allowed bytes")
    func alphabet() {
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-:@/+=".utf8)
        for byte in UInt8.min ... .max where byte != UInt8(ascii: ".") {
            let fault = with([0x61, byte, 0x61]) { ChannelName.fault(in: $0) }
            #expect((fault == nil) == allowed.contains(byte), "byte \(byte)")
            if let fault { #expect(fault.offset == 1) }
        }
    }

    @Test(
        "that are channels", arguments: ["a", "a.b", "A-b_c9", "1", "a:b@c/d+e=f", "$notifyd.slow", "$a", "=", "-.-"])
    func channels(name: String) {
        #expect(channelFault(name) == nil)
        #expect(patternFault(name) == nil, "a channel is also a pattern")
    }

    @Test(
        "that are none, with the byte at which they go wrong",
        arguments: [
            ("", 0, "empty name"), (".", 0, "empty token"), ("..", 0, "empty token"), ("a.", 2, "empty token"),
            (".a", 0, "empty token"), ("a..b", 2, "empty token"), ("a...b", 2, "empty token"),
            ("a b", 1, "character not allowed"), (" a", 0, "character not allowed"),
            ("a\u{0}b", 1, "character not allowed"),
            ("é", 0, "character not allowed"), ("a\u{301}", 1, "character not allowed"),
            ("a\u{200D}", 1, "character not allowed"),
            ("a\"", 1, "character not allowed"), ("a\\", 1, "character not allowed"),
            ("a%", 1, "character not allowed"),
            ("a#", 1, "character not allowed"), ("a,b", 1, "character not allowed"),
            ("a;b", 1, "character not allowed"),
            ("a$", 1, "'$' may only be the first byte"), ("a.$b", 2, "'$' may only be the first byte"),
            ("$$", 1, "'$' may only be the first byte"), ("$", 1, "'$' needs a name after it"),
            ("$.a", 1, "'$' needs a name after it"),
        ])
    func faults(name: String, offset: Int, reason: String) {
        for fault in [channelFault(name), patternFault(name)] {
            #expect(fault?.offset == offset)
            #expect(fault?.reason.description == reason)
        }
    }

    @Test(
        "have wildcards only in patterns, and there only as whole tokens",
        arguments: [
            ("*", nil), (">", nil), ("a.*", nil), ("*.b", nil), ("a.*.c", nil), ("a.>", nil), ("*.>", nil),
            ("$a.*", nil),
            ("$a.>", nil), ("a*", 1), ("*a", 0), ("a.**", 2), (">>", 0), ("a.>b", 2), (">.a", 0), ("a.>.b", 2),
            ("a>", 1),
            ("a.*b.c", 2), ("*$", 0),
        ] as [(String, Int?)])
    func wildcards(name: String, offset: Int?) {
        #expect(patternFault(name)?.offset == offset)
        #expect(channelFault(name) != nil)
        #expect(with(name) { PatternName.hasWildcards($0) })
    }

    @Test("have at most 255 bytes and 32 tokens")
    func limits() {
        #expect(channelFault(String(repeating: "a", count: 255)) == nil)
        #expect(channelFault(String(repeating: "a", count: 256))?.offset == 255)
        let tokens = [String](repeating: "a", count: 32).joined(separator: ".")
        #expect(channelFault(tokens) == nil)
        #expect(patternFault(tokens + ".*")?.offset == 63)
        #expect(channelFault(tokens + ".a")?.reason.description == "more than 32 tokens")
    }

    @Test(
        "that start with a dollar sign are matched only by patterns that do",
        arguments: [
            (">", "$a.b", false), ("*", "$a", false), ("*.b", "$a.b", false), ("$a.>", "$a.b", true),
            ("$a.*", "$a.b", true),
            ("$a.b", "$a.b", true), ("$b.>", "$a.b", false),
        ])
    func reserved(pattern: String, channel: String, isMatch: Bool) {
        let result = with(pattern) { pattern in with(channel) { PatternName.matches(pattern, $0) } }
        #expect(result == isMatch)
        #expect(with(channel) { ChannelName.isReserved($0) })
    }

    @Test("of types, subjects and clients are 1 to 255 bytes of text without control characters")
    func labels() {
        func isLabel(_ text: String) -> Bool { with(text) { LabelText.isValid($0) } }
        #expect(!isLabel(""))
        #expect(isLabel("a"))
        #expect(isLabel(String(repeating: "a", count: 255)))
        #expect(!isLabel(String(repeating: "a", count: 256)))
        #expect(isLabel("cart 42 / é\u{A0}\u{2028}😀\"\\"))
        for scalar in (UInt32(0)...0x20).map({ Unicode.Scalar($0)! }) + ["\u{7F}", "\u{80}", "\u{9F}", "\u{A0}"] {
            let isControl = scalar.properties.generalCategory == .control
            #expect(isLabel("a\(scalar)") == !isControl, "U+\(scalar.value)")
        }
    }
}
