// The programs below Sources/Examples do what they are examples of.

import Glibc
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

    @Test func `a clock follows the time zone that another process chooses`() async throws {
        let clock = try start("ClockFace")
        _ = await clock.output.next()
        // The subscription is on its way while the clock shows its first time.
        while await !bench.run("subscriptions", "--json").output.joined().contains("system.timezone") {}
        #expect(await bench.run("post", "system.timezone", "identifier=Asia/Tokyo").status == 0)
        #expect(await clock.output.next(containing: "Asia/Tokyo") != nil)
    }

    @Test func `a burst of changes is indexed in batches without a gap, and drawn at its end`() async throws {
        let follower = try start("RecordIndex", "follow")
        #expect(await follower.output.next() == "following")
        #expect(await (try start("RecordIndex", "burst", "250")).status() == 0)
        var (indexed, drawn) = (0, "")
        while indexed < 250 || drawn != "drawn after 250", let line = await follower.output.next() {
            if line.hasPrefix("drawn") { drawn = line }
            guard line.hasPrefix("indexed"), let count = Int(line.split(separator: " ")[1]) else { continue }
            #expect(count <= 100)
            indexed += count
        }
        #expect(indexed == 250)
    }

    @Test func `a service that is stopped finishes what it has in hand, and says that it is gone`() async throws {
        let service = try start("OrderService")
        #expect(await service.output.next() == "ready")
        #expect(await bench.run("get", "shop.packers", "--output", "payload").output == [#"{"isThere":true}"#])
        let packed = try await bench.listen("shop.order.packed", "-n", "1", "--output", "payload")
        for number in 1...2 {
            #expect(await bench.run("post", "shop.order.placed", "number:=\(number)").status == 0)
        }
        #expect(await service.output.next() == "packing 1")
        service.signal(SIGTERM)
        // Packing takes a while, but a slow machine may be done with it before it hears of the signal, and begin the other.
        let rest = await service.output.rest()
        #expect(rest.last == "stopped" && rest.count { $0 == "stopping" } == 1, "\(rest)")
        let begun = ["1"] + rest.filter { $0.hasPrefix("packing ") }.map { String($0.dropFirst(8)) }
        #expect(rest.filter { $0.hasPrefix("packed ") } == begun.map { "packed \($0)" }, "\(rest)")
        #expect(rest.count == 2 + 2 * begun.count - 1, "\(rest)")
        #expect(await service.status() == 0)
        #expect(await packed.output.next() == #"{"number":1}"#)
        #expect(await bench.run("get", "shop.packers", "--output", "payload").output == [#"{"isThere":false}"#])
    }

    @Test func `a service that is killed leaves a will`() async throws {
        let service = try start("OrderService")
        #expect(await service.output.next() == "ready")
        let presence = try await bench.listen("shop.packers", "-n", "1", "--output", "payload")
        service.signal(SIGKILL)
        #expect(await presence.output.next() == #"{"isThere":false}"#)
    }

    @Test func `an old program and a new one get what either posts, each once`() async throws {
        let shop = try start("ClassicMigration")
        #expect(await shop.output.next() == "ready")
        await shop.write("2\n")
        #expect(Set([await shop.output.next(), await shop.output.next()]) == ["old badge: 2", "new badge: 2"])
        #expect(await bench.run("post", "shop.cart", "itemCount:=3", "--type", "CartDidChange").status == 0)
        #expect(Set([await shop.output.next(), await shop.output.next()]) == ["old badge: 3", "new badge: 3"])
        try shop.endInput()
        #expect(await shop.output.rest() == [])
        #expect(await shop.status() == 0)
    }
}
