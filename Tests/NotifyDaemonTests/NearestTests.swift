// "Did you mean …?"

import NotifyDaemon
import Testing

struct NearestTests {
    private let words = ["socket", "mode", "log_level", "limits", "channels"]

    @Test(
        "The nearest word is the one that was meant, and none if all are far",
        arguments: [
            ("sockets", "socket"), ("loglevel", "log_level"), ("limit", "limits"), ("chanels", "channels"),
            ("mdoe", "mode"), ("acl", nil), ("nonsense", nil), ("", nil),
        ])
    func nearest(typed: String, meant: String?) {
        #expect(words.nearest(to: typed) == meant)
        #expect([String]().nearest(to: typed) == nil)
    }

    @Test("Nobody mistypes a hundred letters and more")
    func long() {
        let word = String(repeating: "a", count: 99)
        #expect([word].nearest(to: word + "b") == word)
        #expect([word].nearest(to: word + "bc") == nil)
    }
}
