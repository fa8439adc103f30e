// A peer that does not read costs bounded memory, slows nobody, and is told exactly what it lost
// (trials T005, T035, T057, T059, T063, T085).

import NotifyTestSupport
import Testing

@Suite(.ownThreads) struct SlowReaderTests {
    let daemon: TestDaemon
    let poster: RawClient
    let slow: RawClient

    init() throws {
        daemon = try TestDaemon()
        poster = try daemon.client()
        slow = try daemon.client()
    }

    static func payload(_ bytes: Int) -> String { "\"" + String(repeating: "w", count: bytes) + "\"" }

    private func flood(_ channel: String, _ count: Int, bytes: Int, over poster: RawClient? = nil) throws {
        let poster = poster ?? self.poster
        let line = Array("{\"op\":\"post\",\"channel\":\"\(channel)\",\"payload\":\(Self.payload(bytes))}\n".utf8)
        for _ in 0..<count { try poster.send(bytes: line) }
        try poster.must(#"{"op":"ping"}"#)
    }

    /// Reads up to the message with this payload and checks that messages and gaps of each channel account for every
    /// `seq` once, in order. Returns the number of each.
    @discardableResult
    private func account(_ client: RawClient, until end: String) throws -> (messages: Int, lost: Int) {
        var next: [String: Int] = [:]
        var (messages, lost) = (0, 0)
        while true {
            let line = try client.line()
            let channel: String = line["channel"] ?? ""
            switch line.op {
            case "message":
                #expect(line.integer("seq") == next[channel, default: 1], "\(line)")
                next[channel] = line.integer("seq") + 1
                messages += 1
                if line.payload == end { return (messages, lost) }
            case "gap":
                #expect(line.integer("from") == next[channel, default: 1], "\(line)")
                #expect(line.integer("count") == line.integer("to") - line.integer("from") + 1, "\(line)")
                #expect(line["reason"] == "overflow")
                next[channel] = line.integer("to") + 1
                lost += line.integer("count")
            default: throw RawClient.Failure("unexpected \(line)")
            }
        }
    }

    @Test(arguments: [(65536, 100_000), (65536, 10_000), (20, 1000), (1, 1000), (1, 70_000)])
    func `every message is delivered or told to be lost, once, in its place`(messages: Int, bytes: Int) throws {
        try slow.subscribe("s", ",\"buffer\":{\"messages\":\(messages),\"bytes\":1000000}")
        let count = 20_000_000 / (bytes + 1000)
        try flood("s", count, bytes: bytes)
        try poster.post("s", "\"end\"")
        let (received, lost) = try account(slow, until: "\"end\"")
        #expect(received + lost == count + 1)
        #expect(lost > 0)
        let listed = try poster.must(#"{"op":"subscriptions"}"#).list("subscriptions")
        #expect(listed[0]["dropped"] as? Int == lost && listed[0]["delivered"] as? Int == received)
        #expect(listed[0]["queued_messages"] as? Int == 0 && listed[0]["queued_bytes"] as? Int == 0)
    }

    @Test func `a post tells how many subscriptions lost something for it`() throws {
        try slow.subscribe("s", ",\"buffer\":{\"messages\":1}")
        let other = try daemon.client()
        try other.subscribe("s")
        try flood("s", 100, bytes: 10_000)
        let receipt = try poster.post("s")
        #expect(receipt.integer("matched") == 2 && receipt.integer("dropped") == 1)
    }

    @Test func `after each overflow the queue is empty again when it has been read`() throws {
        try slow.subscribe("s", ",\"buffer\":{\"messages\":10}")
        for round in 1...20 {
            try flood("s", 60, bytes: round % 2 == 0 ? 7000 : 20_000)
            try poster.post("s", "\"end \(round)\"", round % 3 == 0 ? ",\"type\":\"T\",\"subject\":\"s\"" : "")
            var line = try slow.line()
            while line.payload != "\"end \(round)\"" { line = try slow.line() }
            let stats = try poster.must(#"{"op":"stats"}"#)
            #expect(stats.integer("stats", "queued_messages") == 0 && stats.integer("stats", "queued_bytes") == 0)
        }
    }

    @Test func `gaps of several channels are told one by one`() throws {
        try slow.subscribe("s.*", ",\"buffer\":{\"messages\":5}")
        for _ in 0..<50 { for name in ["s.a", "s.b", "s.c"] { try flood(name, 1, bytes: 10_000) } }
        for name in ["s.a", "s.b", "s.c"] { try poster.post(name, "\"last\"") }
        try poster.post("s.end", "\"end\"")
        let (received, lost) = try account(slow, until: "\"end\"")
        #expect(received + lost == 154 && lost > 0)
    }

    @Test func `its memory is bounded and the others lose nothing`() throws {
        try slow.subscribe("s")
        let healthy = try (0..<5).map { _ in try daemon.client() }
        for client in healthy { try client.subscribe("s") }
        let line = Array("{\"op\":\"post\",\"channel\":\"s\",\"payload\":\(Self.payload(10_000))}\n".utf8)
        let before = daemon.peakMemory
        let (rounds, each) = (250, 20)
        for round in 0..<rounds {
            for _ in 0..<each { try poster.send(bytes: line) }
            for client in healthy {
                for number in 1...each {
                    let raw = try #require(try client.rawLine())
                    if number == each { #expect(try ReceivedLine(raw).integer("seq") == (round + 1) * each) }
                }
            }
        }
        // 50 MB were posted; the queue holds 8 MiB, and the rest is what a busy daemon needs.
        daemon.expectPeak(since: before, below: 16 << 10)
        try poster.post("s", "\"end\"")
        #expect(try account(slow, until: "\"end\"").lost > 0)
    }

    @Test func `many that do not read share what is bounded for each`() throws {
        let daemon = try TestDaemon(configuration: "{ limits: { queue_bytes: 65536 } }")
        let poster = try daemon.client()
        let deaf = try (0..<100).map { _ in try daemon.client() }
        for client in deaf { try client.subscribe("s") }
        let reader = try daemon.client()
        try reader.subscribe("small")
        let before = daemon.peakMemory
        let line = Array("{\"op\":\"post\",\"channel\":\"s\",\"payload\":\(Self.payload(5000))}\n".utf8)
        for number in 1...300 {
            try poster.send(bytes: line)
            try poster.send("{\"op\":\"post\",\"channel\":\"small\",\"payload\":\(number)}")
            #expect(try reader.line().payload == String(number))
        }
        daemon.expectPeak(since: before, below: 20 << 10)
        try daemon.client().must(#"{"op":"ping"}"#)
        // The log names one that suffers and its figures.
        try daemon.waitForLog("reads too slowly")
    }

    /// Also when what is freed lies between lines that still wait for somebody else.
    @Test(.disabled(if: Sanitizer.isPresent, "a sanitizer keeps what is freed"))
    func `when they have gone the kernel gets most of the memory back`() throws {
        let daemon = try TestDaemon()
        let poster = try daemon.client()
        let stays = try daemon.client()
        try stays.subscribe("s.*", ",\"buffer\":{\"messages\":100}")
        let channels = (1...12).map { "s.\($0)" }
        for channel in channels { try flood(channel, 50, bytes: 3000, over: poster) }
        let before = daemon.memory
        let deaf = try channels.map { channel in
            let client = try daemon.client()
            try client.subscribe(channel)
            return client
        }
        for _ in 1...25 { for channel in channels { try flood(channel, 100, bytes: 3000, over: poster) } }
        let full = daemon.memory
        #expect(full - before > 12 * 5000, "KiB: the queues are full")
        for client in deaf { client.close() }
        try daemon.wait(poster, "clients", 2)
        // It looks at that every ten seconds.
        try daemon.wait("the memory to be given back") { daemon.memory - before < (full - before) / 4 }
        try poster.post("s.1")
    }

    @Test func `one connection's queues have a bound of their own`() throws {
        let daemon = try TestDaemon(configuration: "{ limits: { client_queue_bytes: 2000000 } }")
        let poster = try daemon.client()
        let greedy = try daemon.client()
        for number in 1...200 { try greedy.subscribe("s", ",\"sub\":\(number)") }
        let before = daemon.peakMemory
        for _ in 1...30 {
            try poster.send("{\"op\":\"post\",\"channel\":\"s\",\"payload\":\(Self.payload(10_000))}")
        }
        try poster.must(#"{"op":"ping"}"#)
        daemon.expectPeak(since: before, below: 12 << 10)
        // Everything is accounted for, for each subscription.
        try poster.post("s", "\"end\"")
        var next = [Int](repeating: 1, count: 201)
        var ended = 0
        while ended < 200 {
            let line = try greedy.line()
            let sub = line.integer("sub")
            #expect((line.op == "gap" ? line.integer("from") : line.integer("seq")) == next[sub], "\(line)")
            next[sub] = (line.op == "gap" ? line.integer("to") : line.integer("seq")) + 1
            if line.payload == "\"end\"" { ended += 1 }
        }
    }

    @Test func `a blocked peer's own posts are still handled`() throws {
        let listener = try daemon.client()
        try listener.subscribe("from.blocked")
        try slow.subscribe("s")
        try flood("s", 200, bytes: 10_000)
        for number in 1...100 { try slow.send("{\"op\":\"post\",\"channel\":\"from.blocked\",\"payload\":\(number)}") }
        #expect(try listener.lines(100).map(\.payload) == (1...100).map(String.init))
        // When it reads, it gets everything in order.
        #expect(try slow.lines(200).map { $0.integer("seq") } == Array(1...200))
    }

    @Test func `only whole messages are dropped, whatever their sizes`() throws {
        try slow.subscribe("s", ",\"buffer\":{\"bytes\":1500000}")
        for number in 0..<60 {
            let bytes = [1000, 64_000, 900_000][number % 3]
            try poster.send("{\"op\":\"post\",\"channel\":\"s\",\"payload\":\(Self.payload(bytes))}")
            // A little is read between, so that lines are cut at every kind of place.
            if number % 7 == 0, let raw = try slow.rawLine() { _ = try ReceivedLine(raw) }
        }
        try poster.post("s", "\"end\"")
        // `line` fails at the first that is not whole.
        var line = try slow.line()
        while line.payload != "\"end\"" { line = try slow.line() }
    }

    @Test func `who asks and does not read is not read either, and loses no answer`() throws {
        let before = daemon.peakMemory
        let line = Array("{\"op\":\"ping\",\"id\":\"\(String(repeating: "i", count: 64))\"}\n".utf8)
        let block = Array(repeating: line, count: 1000).joined()
        var sent = 0
        // Far more than the daemon may hold; it stops taking it long before.
        var rest = Array(block)[...]
        var refusals = 0
        while sent < 200 << 20, refusals < 200 {
            let taken = try slow.offer(rest)
            sent += taken
            rest = rest.dropFirst(taken)
            if rest.isEmpty { rest = Array(block)[...] }
            refusals = taken == 0 ? refusals + 1 : 0
            // The daemon has had its turn when it has answered somebody else.
            if taken == 0 { try poster.must(#"{"op":"ping"}"#) }
        }
        #expect(sent < 16 << 20)
        daemon.expectPeak(since: before, below: 8 << 10)
        try daemon.waitUntilQuiet("a peer that does not read")
        // It goes on as soon as the answers are read; the cut line at the end is completed.
        let requests = (sent + line.count - 1) / line.count
        if sent % line.count != 0 {
            let missing = Array(line[(sent % line.count)...])
            var index = 0
            var answers = 0
            while index < missing.count {
                let taken = try slow.offer(missing[index...])
                index += taken
                if taken == 0, try slow.rawLine() != nil { answers += 1 }
            }
            for _ in answers..<requests { _ = try #require(try slow.rawLine()) }
        } else {
            for _ in 0..<requests { _ = try #require(try slow.rawLine()) }
        }
        #expect(try slow.ask(#"{"op":"ping"}"#).op == "ok")
    }
}
