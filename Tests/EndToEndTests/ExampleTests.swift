// The programs below Sources/Examples do what they are examples of.

import NotifyTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct ExampleTests {
    let bench: ToolBench

    init() async throws {
        bench = try await ToolBench()
    }

    private func start(_ example: String, _ arguments: String...) throws -> RunningTool {
        try RunningTool(Checkout.program(example), arguments, environment: ["NOTIFYD_SOCKET": bench.socket])
    }

    @Test func `a badge shows what another process posts, and what it cannot read leaves it alone`() async throws {
        let badge = try start("ShopBadge")
        #expect(await badge.output.next() == "badge: 0")
        #expect(await bench.run("post", "shop.cart", "itemCount:=2", "--type", "CartDidChange").status == 0)
        #expect(await badge.output.next() == "badge: 2")
        #expect(await bench.run("post", "shop.cart", "itemCount=many").status == 0)
        #expect(await bench.run("post", "shop.cart", "itemCount:=5").status == 0)
        #expect(await badge.output.next() == "badge: 5")
    }

    @Test func `settings are there for who comes later, and no change is lost`() async throws {
        let early = try start("SettingsBroadcaster", "follow")
        let changes = try (1...5).map { _ in try start("SettingsBroadcaster", "larger") }
        for change in changes {
            #expect(await change.status() == 0)
        }
        #expect(await early.output.next(containing: "17") == "light 17")

        let toggled = try start("SettingsBroadcaster", "dark")
        #expect(await toggled.output.rest() == ["dark 17"])
        #expect(await early.output.next() == "dark 17")
        let late = try start("SettingsBroadcaster", "follow")
        #expect(await late.output.next() == "dark 17")
    }
}
