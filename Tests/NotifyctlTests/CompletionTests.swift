// What is offered for channels and patterns, and the scripts.

import Testing

@testable import notifyctl

@Suite("Completion")
struct CompletionTests {
    private func offered(
        _ names: [String], _ typed: String, isPattern: Bool = false, isPost: Bool = false
    ) -> [String] {
        ChannelNames.candidates(names, typed: typed, isPattern: isPattern, isPost: isPost).map(\.text)
    }

    @Test("offers the channels that begin so, in order")
    func channels() {
        #expect(offered(["b", "ab.c", "a"], "a") == ["a", "ab.c"])
        #expect(offered(["b", "a"], "") == ["a", "b"])
        #expect(offered(["b"], "c") == [])
    }

    @Test("offers the daemon's own channels to those who begin with $, and never for posting")
    func own() {
        #expect(offered(["$notifyd.x", "a"], "") == ["a"])
        #expect(offered(["$notifyd.x", "a"], "$") == ["$notifyd.x"])
        #expect(offered(["$notifyd.x"], "$", isPost: true) == [])
    }

    @Test("offers a pattern where several channels are below it")
    func patterns() {
        let names = ["shop.cart", "shop.order.new", "shop.order.old", "build"]
        #expect(
            offered(names, "", isPattern: true) == ["shop.>", "build", "shop.cart", "shop.order.new", "shop.order.old"])
        #expect(
            offered(names, "shop.", isPattern: true)
                == ["shop.>", "shop.order.>", "shop.cart", "shop.order.new", "shop.order.old"])
        #expect(offered(names, "shop.c", isPattern: true) == ["shop.cart"])
        #expect(offered(names, "shop.") == ["shop.cart", "shop.order.new", "shop.order.old"])
    }

    @Test(
        "finds a socket behind ~ and a variable",
        arguments: [
            ("~/s", "/home/ada/s"), ("$PLACE/s", "/p/s"), ("${PLACE}/s", "/p/s"), ("$PLACE", "/p"),
            ("$NONE/s", "$NONE/s"),
            ("/a/$PLACE", "/a/$PLACE"), ("@s", "@s"), ("~ada/s", "~ada/s"),
        ])
    func expansion(path: String, expanded: String) {
        #expect(ChannelNames.expanded(path) { ["HOME": "/home/ada", "PLACE": "/p"][$0] } == expanded)
    }

    @Test(
        "wants a shell that it knows",
        arguments: [
            ([], "SHELL is missing"), (["basch"], "shell 'basch' is none of bash, zsh, fish; did you mean 'bash'?"),
            (["bash", "zsh"], "'zsh' is one word too many"),
        ])
    func shells(words: [String], sentence: String) {
        #expect(throws: Failure.usage("completion: \(sentence)")) {
            _ = try Request((["completion"] + words).map { Word($0) })
        }
    }
}
