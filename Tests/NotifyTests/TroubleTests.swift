// What a real daemon never does, or not on demand, played by a scripted one.

import Foundation
import Notify
import NotifyTestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct TroubleTests {
    let peer: ScriptedPeer
    let center: NotifyCenter

    init() throws {
        peer = try ScriptedPeer()
        // With time for a peer that greets late, or never: a connection given up in between is not what is tested here.
        center = NotifyCenter.patient(at: peer.path)
    }

    private func message(_ number: Int, sub: Int = 1, payload: String) -> String {
        #"{"op":"message","sub":\#(sub),"channel":"clock.tick","seq":\#(number),"pos":\#(number),"time":"2026-11-29T12:00:00.5Z","from":{"client":1,"pid":2,"uid":3},"payload":"#
            + payload + "}"
    }

    @Test func `a pipelined post whose receipt never came fails, says so, and is not sent again`() async throws {
        let receipt = Task { [center] in try await center.submit(Tick(number: 1)).value }
        let first = await peer.acceptAndGreet()
        #expect(await first.line()?.contains(#""op":"post""#) == true)
        first.hangUp()
        let error = await #expect(throws: NotifyError.self) { try await receipt.value }
        #expect(error?.code == .notConnected)
        #expect(error?.message.contains("may or may not have been accepted") == true)

        let pong = Task { [center] in try await center.ping() }
        let second = await peer.acceptAndGreet()
        #expect(await second.line()?.contains(#""op":"ping""#) == true)
        await second.send(#"{"op":"ok","id":2}"#)
        #expect(try await pong.value > .zero)
    }

    @Test func `a question whose answer was lost is asked again`() async throws {
        let pong = Task { [center] in try await center.ping() }
        let first = await peer.acceptAndGreet()
        _ = await first.line()
        first.hangUp()
        let second = await peer.acceptAndGreet()
        let id = try #require(await second.id())
        await second.send(#"{"op":"ok","id":\#(id)}"#)
        #expect(try await pong.value > .zero)
    }

    @Test(arguments: [1, 2, 3, 7])
    func `characters and lines may be cut anywhere on their way`(size: Int) async throws {
        let messages = center.rawMessages(matching: "clock.tick")
        let connection = await peer.acceptAndGreet()
        _ = await connection.line()
        let payloads = [#""é€😀""#, #"{"k":"ü\n\ud83d\ude00"}"#, "1.10"]
        let text = payloads.enumerated().map { message($0.offset + 1, payload: $0.element) + "\n" }.joined()
        await connection.send(bytes: Array(text.utf8), by: size)
        var iterator = messages.makeAsyncIterator()
        for payload in payloads { #expect(await iterator.next()?.payload == Data(payload.utf8)) }
    }

    @Test(arguments: ["hello yourself", "{}", #"{"op":"ok","id":0}"#, "[1]", "\u{0}\u{1}"])
    func `who does not speak the protocol is told apart from a daemon`(line: String) async throws {
        let center = NotifyCenter.patient(at: peer.path, reconnects: false)
        let ready = Task { [center] in try await center.ready() }
        let connection = await peer.accept()
        _ = await connection.line()
        await connection.send(line)
        let error = await #expect(throws: NotifyError.self) { try await ready.value }
        #expect(error?.code == .protocolViolation)
        #expect(await connection.line()?.isEmpty != true)
    }

    @Test func `nonsense in the middle of a conversation ends it, and the next one is a good one`() async throws {
        let messages = center.messages(for: Tick.self)
        let first = await peer.acceptAndGreet()
        _ = await first.line()
        await first.send(message(1, payload: #"{"number":1}"#))
        await first.send(#"{"op":"message","sub":1,"channel":"#)
        let second = await peer.acceptAndGreet()
        #expect(await second.line()?.contains(#""op":"subscribe""#) == true)
        await second.send(message(2, payload: #"{"number":2}"#))
        var iterator = messages.makeAsyncIterator()
        for number in 1...2 { #expect(await iterator.next()?.number == number) }
    }

    @Test func `a line without end is not stored without end`() async throws {
        let center = NotifyCenter.patient(at: peer.path, reconnects: false)
        let ready = Task { [center] in try await center.ready() }
        let connection = await peer.acceptAndGreet()
        await connection.send(bytes: [UInt8](repeating: 0x20, count: 66 << 20))
        let error = await #expect(throws: NotifyError.self) { try await ready.value }
        #expect(error?.code == .protocolViolation)
    }

    @Test func `a full backlog is waited for, up to the connect timeout`() async throws {
        let busy = try ScriptedPeer(backlog: 0)
        // The kernel keeps one more than asked; the others find the backlog full.
        let centers = (0..<4).map { _ in
            NotifyCenter(endpoint: .socket(path: busy.path), configuration: .init(connectTimeout: .milliseconds(300)))
        }
        for center in centers {
            let error = await #expect(throws: NotifyError.self) { try await center.ready() }
            #expect(error?.code == .notConnected)
            #expect(error?.message == "the daemon at \(busy.path) does not answer")
        }
        let patient = NotifyCenter.patient(at: busy.path)
        let ready = Task { [patient] in try await patient.ready() }
        // Makes room: the first connections are those that were given up.
        var id: Int?
        while id == nil {
            let connection = await busy.accept()
            guard await connection.line() != nil, await connection.trySend(hello) else { continue }
            id = await connection.id()
            if let id { await connection.send(#"{"op":"ok","id":\#(id)}"#) }
        }
        try await ready.value
    }

    private var hello: String { #"{"op":"ok","id":0,"server":"scripted","epoch":"e","client":1,"pos":0}"# }

    @Test func `a daemon that greets and then falls silent is not waited for for ever`() async throws {
        #expect(NotifyCenter.Configuration().requestTimeout == .seconds(30))
        let calls: [(Bool, @Sendable (NotifyCenter) async throws -> Void)] = [
            (false, { try await $0.ready() }), (false, { _ = try await $0.ping() }),
            (true, { _ = try await $0.post(Tick(number: 1)) }),
        ]
        for (isInDoubt, call) in calls {
            let center = NotifyCenter.patient(at: peer.path, requestTimeout: .milliseconds(50))
            let answer = Task { try await call(center) }
            let connection = await peer.acceptAndGreet()
            let error = await #expect(throws: NotifyError.self) { try await answer.value }
            #expect(error?.code == .timedOut)
            #expect(error?.message.contains("may or may not") == isInDoubt)
            withExtendedLifetime(connection) {}
        }
    }

    @Test func `a message prints as a person reads it, and in full for who debugs`() async throws {
        var messages = center.rawMessages(matching: "clock.tick").makeAsyncIterator()
        let connection = await peer.acceptAndGreet()
        _ = await connection.line()
        let plain = message(1, payload: #"{"number":1}"#)
        let rich = plain.replacing(#""channel""#, with: #""type":"Tick","subject":"s 1","channel""#)
        await connection.send(plain)
        await connection.send(rich)
        let first = try #require(await messages.next())
        #expect("\(first)" == #"clock.tick  {"number":1}"#)
        #expect(String(reflecting: first) == plain)
        let second = try #require(await messages.next())
        #expect("\(second)" == #"clock.tick  Tick  s 1  {"number":1}"#)
        #expect(String(reflecting: second) == rich)
    }

    @Test func `a task that is cancelled does not wait for its answer`() async throws {
        let center = self.center
        let task = Task { try await center.post(Tick(number: 1)) }
        let connection = await peer.acceptAndGreet()
        _ = await connection.line()
        task.cancel()
        let error = await #expect(throws: NotifyError.self) { try await task.value }
        #expect(error?.code == .cancelled)
    }

    @Test func `what cannot be sent yet is bounded`() async throws {
        var enqueued = 0
        let error = #expect(throws: NotifyError.self) {
            while enqueued < 1_000_000 {
                try center.enqueue(Tick(number: enqueued))
                enqueued += 1
            }
        }
        #expect(error?.code == .overflow)
        #expect((10_000..<200_000).contains(enqueued))
    }

    @Test func `a gap of the daemon comes in its place`() async throws {
        var events = center.rawEvents(matching: ["clock.>"]).makeAsyncIterator()
        let connection = await peer.acceptAndGreet()
        _ = await connection.line()
        await connection.send(message(1, payload: "1"))
        await connection.send(
            #"{"op":"gap","sub":1,"channel":"clock.tick","from":2,"to":9,"count":8,"reason":"overflow"}"#)
        await connection.send(#"{"op":"gap","sub":1,"count":5,"reason":"overflow"}"#)
        await connection.send(message(10, payload: "10"))
        var words: [String] = []
        for _ in 1...4 {
            switch try await events.next() {
            case .message(let message): words.append("\(message.info.sequence)")
            case .gap(let gap): words.append("\(gap.channel?.rawValue ?? "*") \(gap.from ?? 0) \(gap.count ?? 0)")
            default: words.append("?")
            }
        }
        #expect(words == ["1", "clock.tick 2 8", "* 0 5", "10"])
    }

    @Test func `a refused subscription ends events with the daemon's error, and messages quietly`() async throws {
        let events = center.events(for: Tick.self)
        let messages = center.messages(for: Tick.self)
        let connection = await peer.acceptAndGreet()
        let id = try #require(await connection.id())
        await connection.send(#"{"op":"error","id":\#(id),"code":"denied","message":"not you"}"#)
        let error = await #expect(throws: NotifyError.self) {
            for try await _ in events { Issue.record("nothing can come") }
        }
        #expect(error?.code == .denied)
        #expect(error?.message == "not you")
        for await _ in messages { Issue.record("nothing can come") }
        #expect(center.diagnostics.refused == 1)
    }
}
