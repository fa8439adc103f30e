// Channels, patterns, subjects and sizes: what is valid, and what a bad one says.

// Channels, patterns, subjects and types: the edges of their grammar, and what their errors say.

import Notify
import Testing

struct NameTests {
    @Test(arguments: [(255, true), (256, false)])
    func `a channel has at most 255 bytes`(count: Int, isValid: Bool) {
        #expect((NotifyCenter.Channel(rawValue: String(repeating: "c", count: count)) != nil) == isValid)
    }

    @Test func `a bad channel's error says where`() {
        let error = #expect(throws: NotifyError.self) { try NotifyCenter.Channel(validating: "a..b") }
        #expect(error?.code == .invalidChannel)
        #expect(error?.message == "channel 'a..b': empty token at byte 2")
    }

    @Test func `wildcards belong to patterns`() throws {
        #expect(NotifyCenter.Channel(rawValue: "a.*") == nil)
        #expect(try NotifyCenter.Pattern(validating: "a.*.>").rawValue == "a.*.>")
        let error = #expect(throws: NotifyError.self) { try NotifyCenter.Pattern(validating: "a.>.b") }
        #expect(error?.code == .invalidPattern)
    }

    @Test(arguments: [
        ("", false), (String(repeating: "s", count: 255), true), (String(repeating: "s", count: 256), false),
        ("a\tb", false),
    ])
    func `a subject has 1 to 255 bytes without control characters`(text: String, isValid: Bool) {
        #expect((NotifyCenter.Subject(rawValue: text) != nil) == isValid)
    }

    @Test func `subjects are equal when their bytes are`() {
        let composed: NotifyCenter.Subject = "caf\u{E9}"
        let decomposed: NotifyCenter.Subject = "cafe\u{301}"
        #expect(composed.rawValue == decomposed.rawValue)
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed, composed]).count == 2)
    }

    @Test func `a literal that is no channel stops the program with a sentence`() async {
        await #expect(processExitsWith: .failure) {
            let channel: NotifyCenter.Channel = "a b"
            print(channel)
        }
    }

    @Test func `a buffer for no message stops the program with a sentence`() async {
        await #expect(processExitsWith: .failure) {
            _ = NotifyCenter.BufferPolicy.bufferingNewest(0)
        }
        #expect(NotifyCenter.BufferPolicy.bufferingNewest(1).messages == 1)
    }
}
