// What a subscription gets of the past, and that a lost connection loses nothing.

import Foundation
import Notify
import NotifyTestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ReplayTests {
    let daemon: DaemonProcess
    let center: NotifyCenter

    init() async throws {
        daemon = try await DaemonProcess()
        center = NotifyCenter.patient(at: daemon.socketPath)
    }

    /// The numbers of what was replayed, a word for each gap, and `live`.
    private func past(_ replay: NotifyCenter.Replay) async throws -> [String] {
        var words: [String] = []
        for try await event in center.events(for: Tick.self, replay: replay) {
            switch event {
            case .message(let tick, let info): words.append("\(tick.number)\(info.isReplay ? "" : "!")")
            case .gap(let gap): words.append("gap \(gap.reason) \(gap.count.map(String.init) ?? "?")")
            case .live: return words
            default: words.append("?")
            }
        }
        return words
    }

    @Test func `the past comes first, as far as it was asked for, then what is new`() async throws {
        var receipts: [NotifyCenter.PostReceipt] = []
        for number in 1...5 { receipts.append(try await center.post(Tick(number: number))) }
        let server = try #require(center.server)
        #expect(try await past(.last(2)) == ["4", "5"])
        #expect(try await past(.after(receipts[2].position)) == ["4", "5"])
        #expect(try await past(.after(receipts[2].position, epoch: server.epoch)) == ["4", "5"])
        #expect(try await past(.after(0, epoch: "another")) == ["gap epoch ?", "1", "2", "3", "4", "5"])
        #expect(try await past(.since(Date(timeIntervalSinceNow: -600))) == ["1", "2", "3", "4", "5"])
        #expect(try await past(.since(Date(timeIntervalSinceNow: 600))) == [])
        #expect(try await past(.last(.max)) == ["1", "2", "3", "4", "5"])
        #expect(try await past(.retained) == [])
    }

    @Test func `where history does not reach back so far, a gap says so`() async throws {
        for number in 1...100 { try await center.post(Tick(number: number)) }
        let words = try await past(.after(0))
        #expect(words.first == "gap history ?")
        #expect(words.last == "100")
        #expect(words.count == 65)
        #expect(try await past(.last(65)).first == "gap history 1")
        #expect(try await past(.last(64)).first == "37")
    }

    @Test func `a connection lost again and again while messages flow: none is missing, none comes twice`() async throws
    {
        let relay = try CuttableRelay(to: daemon.socketPath)
        let listener = NotifyCenter.patient(at: relay.path)
        var events = listener.events(for: Tick.self).makeAsyncIterator()
        try await listener.ready()
        let count = 400
        let poster = Task { [center] in
            for number in 1...count {
                try await center.post(Tick(number: number))
                if number % 20 == 0 {
                    relay.cut()
                    // History keeps 64: no more may be posted while nobody is connected.
                    try await listener.ready()
                }
            }
        }
        var numbers: [Int] = []
        var losses = 0
        while numbers.last != count, let event = try await events.next() {
            switch event {
            case .message(let tick, _): numbers.append(tick.number)
            case .gap(let gap): Issue.record("gap \(gap)")
            case .disconnected: losses += 1
            default: break
            }
        }
        try await poster.value
        #expect(numbers == Array(1...count))
        #expect(losses > 0)
    }

    @Test func `what history no longer holds after a loss is a gap in its place`() async throws {
        let relay = try CuttableRelay(to: daemon.socketPath)
        let listener = NotifyCenter.patient(at: relay.path)
        var events = listener.events(for: Tick.self).makeAsyncIterator()
        try await listener.ready()
        try await center.post(Tick(number: 0))
        guard case .message? = try await events.next() else {
            Issue.record("the first message comes")
            return
        }
        try await daemon.pause()
        relay.cut()
        // What is posted now waits in the sockets until the daemon goes on; only then the listener comes back.
        let posts = Task { [center] in
            for number in 1...100 { _ = try await center.submit(Tick(number: number)) }
        }
        _ = try await posts.value
        daemon.resume()
        var words: [String] = []
        while words.last != "100" {
            switch try await events.next() {
            case .message(let tick, _): words.append("\(tick.number)")
            case .gap(let gap): words.append("gap \(gap.reason)")
            case .disconnected, .reconnected: break
            default: words.append("?")
            }
        }
        let numbers = words.compactMap { Int($0) }
        // Either all came before the listener was back, or some after: what is missing was told.
        #expect(numbers == Array((101 - numbers.count)...100))
        #expect(numbers.count == 100 || words.first == "gap history")
    }

    @Test func `a daemon killed again and again while messages flow: what is missing was told, nothing comes twice`()
        async throws
    {
        var events = center.events(for: Tick.self).makeAsyncIterator()
        try await center.ready()
        let poster = NotifyCenter.patient(at: daemon.socketPath)
        let last = 1_000_000_000
        let posting = Task { () async -> [Int] in
            var accepted: [Int] = []
            var number = 0
            while !Task.isCancelled {
                number += 1
                do throws(NotifyError) {
                    try await poster.post(Tick(number: number))
                    accepted.append(number)
                } catch {
                    #expect([.notConnected, .cancelled].contains(error.code))
                }
            }
            return accepted
        }
        var numbers: [Int] = []
        var told: [Range<Int>] = []
        var gapAfter: Int?
        var kills = 0
        while numbers.last != last, let event = try await events.next() {
            switch event {
            case .message(let tick, _):
                if let gapAfter { told.append(gapAfter..<tick.number) }
                gapAfter = nil
                numbers.append(tick.number)
                guard numbers.count % 50 == 0, kills < 4 else { continue }
                kills += 1
                if kills < 4 {
                    daemon.kill()
                    try await daemon.start()
                } else {
                    posting.cancel()
                    _ = await posting.value
                    try await poster.post(Tick(number: last))
                }
            case .gap(let gap):
                #expect(gap.reason == .epoch)
                gapAfter = numbers.last ?? 0
            default: break
            }
        }
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
        let received = Set(numbers)
        let lost = await posting.value.filter { number in
            !received.contains(number) && !told.contains { $0.contains(number) }
        }
        #expect(lost == [])
        #expect(told.count == 3)
    }
}
