// What `top` makes of two looks at the daemon.

import Testing

@testable import notifyctl

extension TopSample {
    /// A look after so many seconds.
    static func at(
        _ seconds: Double, life: String = "e1", _ channels: [Channel] = [], _ subscriptions: [Subscription] = [],
        _ clients: [Client] = []
    ) -> TopSample {
        TopSample(
            life: life, time: UInt64(seconds * 1e9), totals: Totals(), channels: channels, subscriptions: subscriptions,
            clients: clients)
    }
}

extension TopSample.Channel {
    static func named(_ name: String, _ posts: UInt64, bytes: UInt64 = 0, deliveries: UInt64 = 0) -> Self {
        Self(name: name, posts: posts, bytes: bytes, deliveries: deliveries, subscriptions: 1)
    }
}

extension TopSample.Subscription {
    static func of(
        _ client: UInt64, _ pattern: String = "a", waiting: UInt64 = 0, lag: UInt64 = 0, delivered: UInt64 = 0,
        dropped: UInt64 = 0
    ) -> Self {
        Self(
            client: client, pid: Int32(client), uid: 0, sub: 1, pattern: pattern, waiting: waiting, waitingBytes: 0,
            lag: lag, delivered: delivered, dropped: dropped)
    }
}

extension TopSample.Client {
    static func of(_ client: UInt64, posts: UInt64 = 0, bytesIn: UInt64 = 0, bytesOut: UInt64 = 0, name: String = "")
        -> Self
    {
        Self(
            client: client, pid: Int32(client), uid: 7, name: name, posts: posts, bytesIn: bytesIn, bytesOut: bytesOut,
            state: "")
    }
}

@Suite("What top knows")
struct TopModelTests {
    @Test("nothing before the first look, and no rates before the second")
    func first() {
        var model = TopModel()
        #expect(model.channels().isEmpty)
        #expect(model.interval == nil)
        model.add(.at(1, [.named("a", 100)]))
        #expect(model.channels().map(\.posts) == [0])
        #expect(model.interval == nil)
    }

    @Test("accounts count what connections have done that are gone, the loudest first")
    func accounts() {
        func look(_ seconds: Double, _ posts: UInt64, _ bytes: UInt64, _ refused: UInt64) -> TopSample {
            var sample = TopSample.at(seconds)
            sample.accounts = [
                .init(uid: 1, clients: 1, posts: 5, bytesIn: 7, refused: 0),
                .init(uid: 1000, clients: 0, posts: posts, bytesIn: bytes, refused: refused),
                .init(unit: "shop.service", clients: 2, posts: 4, bytesIn: 7, refused: 0),
            ]
            return sample
        }
        var model = TopModel()
        model.add(look(1, 10, 100, 3))
        model.add(look(3, 50, 1100, 4))
        let rows = model.accounts()
        #expect(rows.map(\.name) == ["uid 1000", "shop.service", "uid 1"])
        #expect(rows[0].posts == 20 && rows[0].bytesIn == 500 && rows[0].refusals == 0.5 && rows[0].clients == 0)
        #expect(model.accounts(order: 3).map(\.name) == ["shop.service", "uid 1", "uid 1000"])
    }

    @Test("an account that was forgotten in between counts from nothing")
    func forgottenAccount() {
        var model = TopModel()
        for (seconds, posts) in [(1, 1000), (3, 50)] as [(Double, UInt64)] {
            var sample = TopSample.at(seconds)
            sample.accounts = [.init(uid: 1, clients: 0, posts: posts, bytesIn: 10 * posts, refused: 0)]
            model.add(sample)
        }
        #expect(model.accounts().map(\.posts) == [25] && model.accounts().map(\.bytesIn) == [250])
    }

    @Test("rates are differences over the time between the looks, the greatest first")
    func rates() {
        var model = TopModel()
        model.add(.at(1, [.named("a", 100, bytes: 1000, deliveries: 5), .named("b", 7)]))
        model.add(
            .at(3, [.named("a", 110, bytes: 5000, deliveries: 6), .named("b", 47), .named("new", 4, deliveries: 8)]))
        #expect(model.interval == 2)
        let rows = model.channels()
        #expect(rows.map(\.channel) == ["b", "a", "new"])
        #expect(rows.map(\.posts) == [20, 5, 2])
        #expect(rows.map(\.bytes) == [0, 2000, 0])
        #expect(rows.map(\.deliveries) == [0, 0.5, 4])
        #expect(
            (0...3).map { model.channels(order: $0).map(\.channel) } == [
                ["b", "a", "new"], ["a", "b", "new"], ["new", "a", "b"], ["a", "b", "new"],
            ])
    }

    @Test("totals have rates, too")
    func totals() {
        var model = TopModel()
        var sample = TopSample.at(1)
        model.add(sample)
        sample.time = 5_000_000_000
        sample.totals.posts = 40
        sample.totals.bytesOut = 8
        sample.totals.refused = 2
        model.add(sample)
        #expect(model.rates == TopModel.Rates(posts: 10, refusals: 0.5, bytesOut: 2))
    }

    @Test("what has become less was counted anew since")
    func forgotten() {
        var model = TopModel()
        model.add(.at(1, [.named("a", 100, bytes: 5)]))
        model.add(.at(2, [.named("a", 3, bytes: 30)]))
        #expect(model.channels().map { [$0.posts, $0.bytes] } == [[3, 30]])
    }

    @Test("another life of the daemon has nothing to do with the one before")
    func restart() {
        var model = TopModel()
        model.add(.at(1, [.named("a", 100)]))
        model.add(.at(2, life: "e2", [.named("a", 900)]))
        #expect(model.channels().map(\.posts) == [0])
        model.add(.at(3, life: "e2", [.named("a", 910)]))
        #expect(model.channels().map(\.posts) == [10])
    }

    @Test("two looks at the same moment give no rate")
    func sameMoment() {
        var model = TopModel()
        model.add(.at(1, [.named("a", 1)]))
        model.add(.at(1, [.named("a", 9)]))
        #expect(model.channels().map(\.posts) == [0])
    }

    @Test("subscriptions: those for which most waits come first, then those that lose most")
    func subscriptions() {
        var model = TopModel()
        model.add(.at(1, [], [.of(1, delivered: 10), .of(2, delivered: 10), .of(3, dropped: 1)]))
        model.add(
            .at(
                2, [],
                [
                    .of(1, "c", waiting: 5, lag: 1, delivered: 13), .of(2, "b", waiting: 9, delivered: 4),
                    .of(3, "a", dropped: 3), .of(4, "b", lag: 7),
                ]))
        #expect(
            (0...4).map { model.subscriptions(order: $0).map(\.client) } == [
                [2, 1, 3, 4], [4, 1, 2, 3], [3, 1, 2, 4], [1, 2, 3, 4], [3, 2, 4, 1],
            ])
        // What waited was dropped: nothing was delivered.
        #expect(model.subscriptions().first?.deliveries == 0)
        #expect(model.subscriptions(order: 2).first?.drops == 2)
    }

    @Test("posters: by posts, bytes, or the names of their programs")
    func posters() {
        var model = TopModel()
        model.add(.at(1, [], [], [.of(1), .of(2), .of(3)]))
        model.add(.at(2, [], [], [.of(1, posts: 1, bytesOut: 9), .of(2, posts: 5), .of(3, bytesIn: 4)]))
        let names: [Int32: String] = [1: "c", 2: "a", 3: "b"]
        #expect(
            (0...3).map { model.posters(order: $0) { names[$0] ?? "" }.map(\.client) } == [
                [2, 1, 3], [3, 1, 2], [1, 2, 3], [2, 3, 1],
            ])
    }
}
