// What happens to messages that come faster than they are taken, by policy; and priorities.

import Foundation
import Notify
import NotifyTestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct BufferPolicyTests {
    let daemon: DaemonProcess
    let center: NotifyCenter
    let poster: NotifyCenter

    init() async throws {
        daemon = try await DaemonProcess()
        center = NotifyCenter.patient(at: daemon.socketPath)
        poster = NotifyCenter.patient(at: daemon.socketPath)
    }

    /// What comes of ten messages that nobody has taken when the last one is there.
    private func tenUntaken(_ policy: NotifyCenter.BufferPolicy, subjects: Int = 1) async throws -> [String] {
        let events = center.events(for: Tick.self, buffer: policy)
        try await center.ready()
        for number in 1...10 {
            try await poster.post(Tick(number: number), subject: .init(rawValue: "s\(number % subjects)"))
        }
        // What was delivered before this answer was is there by now.
        try await center.ready()
        await center.shutdown()
        var words: [String] = []
        do {
            for try await event in events {
                switch event {
                case .message(let tick, _): words.append("\(tick.number)")
                case .gap(let gap): words.append("\(gap.reason) \(gap.from ?? 0)-\(gap.to ?? 0) \(gap.count ?? 0)")
                default: words.append("?")
                }
            }
        } catch {
            words.append("\(error.code)")
        }
        return words
    }

    @Test func `newest keeps the last`() async throws {
        #expect(try await tenUntaken(.bufferingNewest(3)) == ["overflow 1-7 7", "8", "9", "10"])
    }

    @Test func `oldest keeps the first`() async throws {
        #expect(try await tenUntaken(.bufferingOldest(3)) == ["1", "2", "3", "overflow 4-10 7"])
    }

    @Test func `latest keeps one of each subject`() async throws {
        #expect(try await tenUntaken(.latestPerSubject, subjects: 2) == ["coalesced 1-8 8", "9", "10"])
    }

    @Test func `failing gives what there was room for, then its error`() async throws {
        #expect(try await tenUntaken(.failing(3)) == ["1", "2", "3", "overflow"])
    }

    @Test func `one that has failed is given up at the daemon, too`() async throws {
        let events = center.events(for: Tick.self, buffer: .failing(1))
        try await center.ready()
        for number in 1...2 { try await poster.post(Tick(number: number)) }
        await #expect(throws: NotifyError.self) { for try await _ in events {} }
        while try await !poster.subscriptions().elements.isEmpty { await Task.yield() }
    }

    @Test func `the daemon's queue has the policy, too`() async throws {
        let patterns: [(NotifyCenter.Pattern, NotifyCenter.BufferPolicy)] = [
            ("a", .bufferingNewest(2)), ("b", .bufferingOldest(2)), ("c", .latestPerSubject), ("d", .failing(2)),
        ]
        let peer = try ScriptedPeer()
        let center = NotifyCenter.patient(at: peer.path)
        let sequences = patterns.map { center.rawMessages(matching: $0, options: .init(buffer: $1)) }
        let standard = center.rawMessages(matching: "e")
        let connection = await peer.acceptAndGreet()
        for text in [
            #"{"policy":"newest","messages":2}"#, #"{"policy":"oldest","messages":2}"#,
            #"{"policy":"latest","messages":65536}"#, #"{"policy":"fail","messages":2}"#,
        ] {
            #expect(await connection.line()?.contains(#""buffer":\#(text)"#) == true)
        }
        #expect(await connection.line()?.contains("buffer") == false)
        withExtendedLifetime((sequences, standard)) {}
    }

    @Test func `an interval and a group are the daemon's to keep, and groups are not shared`() async throws {
        let peer = try ScriptedPeer()
        let center = NotifyCenter.patient(at: peer.path)
        let options = NotifyCenter.SubscriptionOptions(minimumInterval: .microseconds(1500), group: "g")
        let sequences = (1...2).map { _ in center.rawMessages(matching: "a", options: options) }
        let connection = await peer.acceptAndGreet()
        for sub in 1...2 {
            let line = await connection.line()
            #expect(line?.contains(#""sub":\#(sub),"channel":"a","min_interval_ms":2,"group":"g"}"#) == true)
        }
        withExtendedLifetime(sequences) {}
    }

    /// The payloads that came until now.
    private func all(_ messages: NotifyCenter.RawMessages, of center: NotifyCenter) async -> [String] {
        // What the daemon has sent before this answer is there by now; a center that was shut down has had its answer.
        try? await center.ready()
        await center.shutdown()
        var payloads: [String] = []
        for await message in messages { payloads.append(String(decoding: message.payload, as: UTF8.self)) }
        return payloads
    }

    @Test func `members of a group share the messages, in two processes or in one`() async throws {
        let other = NotifyCenter.patient(at: daemon.socketPath)
        let options = NotifyCenter.SubscriptionOptions(group: "g")
        let members = [center, center, other].map { ($0.rawMessages(matching: "a", options: options), $0) }
        for (_, center) in members { try await center.ready() }
        for number in 1...30 { try await poster.post(payload: "\(number)".utf8, to: "a") }
        // Both sequences of one center are there when the first has been waited for.
        var shares: [[String]] = []
        for (messages, center) in members { shares.append(await all(messages, of: center)) }
        #expect(shares.flatMap(\.self).sorted() == (1...30).map(String.init).sorted())
        #expect(shares.allSatisfy { !$0.isEmpty })
    }

    @Test func `within the interval there is one message of each subject`() async throws {
        let messages = center.rawMessages(matching: "a", options: .init(minimumInterval: .seconds(3600)))
        try await center.ready()
        for number in 1...6 {
            try await poster.post(payload: "\(number)".utf8, to: "a", subject: number % 2 == 0 ? "even" : "odd")
        }
        #expect(await all(messages, of: center) == ["1", "2"])
    }

    @Test func `a subscription that the daemon ends for overflow ends with that error`() async throws {
        let peer = try ScriptedPeer()
        let center = NotifyCenter.patient(at: peer.path)
        let events = center.events(for: Tick.self, buffer: .failing(2))
        let connection = await peer.acceptAndGreet()
        _ = await connection.line()
        await connection.send(#"{"op":"error","sub":1,"code":"overflow","message":"too slow"}"#)
        let error = await #expect(throws: NotifyError.self) {
            for try await _ in events { Issue.record("nothing can come") }
        }
        #expect(error?.code == .overflow)
    }

    @Test func `what the daemon has dropped counts as dropped`() async throws {
        let peer = try ScriptedPeer()
        let center = NotifyCenter.patient(at: peer.path)
        let messages = center.messages(for: Tick.self)
        let connection = await peer.acceptAndGreet()
        _ = await connection.line()
        await connection.send(
            #"{"op":"gap","sub":1,"channel":"clock.tick","from":1,"to":7,"count":7,"reason":"overflow"}"#)
        await connection.send(
            #"{"op":"message","sub":1,"channel":"clock.tick","seq":8,"pos":8,"time":"2026-11-29T12:00:00Z","payload":{"number":8}}"#
        )
        var iterator = messages.makeAsyncIterator()
        #expect(await iterator.next()?.number == 8)
        #expect(messages.droppedCount == 7)
    }

    @Test func `a message says how urgent it is`() async throws {
        var messages = center.rawMessages(matching: "clock.tick").makeAsyncIterator()
        try await center.ready()
        for priority in NotifyCenter.Priority.allCases {
            try await poster.post(Tick(number: 1), options: .init(priority: priority))
            #expect(await messages.next()?.info.priority == priority)
        }
    }
}
