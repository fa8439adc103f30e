// "Did you mean …?"

import Testing

@testable import notifyctl

@Suite("A suggestion")
struct SuggestionTests {
    @Test(
        "counts insertions, losses, changes and swaps",
        arguments: [
            ("", "", 0), ("a", "", 1), ("post", "post", 0), ("pots", "post", 1), ("lsten", "listen", 1),
            ("ping", "sing", 1), ("kitten", "sitting", 3),
        ])
    func distance(from: String, to: String, expected: Int) {
        #expect(Suggestion.distance(Array(from.utf8), Array(to.utf8)) == expected)
        #expect(Suggestion.distance(Array(to.utf8), Array(from.utf8)) == expected)
    }

    @Test("is the nearest word, and none if all are far")
    func nearest() {
        let words = ["post", "listen", "ping", "subscriptions"]
        #expect(Suggestion.nearest(to: "lisen", among: words) == "listen")
        #expect(Suggestion.nearest(to: "subscription", among: words) == "subscriptions")
        #expect(Suggestion.nearest(to: "frobnicate", among: words) == nil)
        #expect(Suggestion.nearest(to: "x", among: words) == nil)
    }
}
