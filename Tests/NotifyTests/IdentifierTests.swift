// A message type named by an identifier, in every place where a type may stand: that this compiles is most of the test.

import Notify
import NotifyTestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct IdentifierTests {
    let daemon: DaemonProcess
    let center: NotifyCenter

    init() async throws {
        daemon = try await DaemonProcess()
        center = NotifyCenter.patient(at: daemon.socketPath)
    }

    @MainActor @Test func `an identifier stands for its type everywhere`() async throws {
        let subject: NotifyCenter.Subject = "s"
        let heard = Order(until: 4)
        let counts = Counter()
        let model = Model()
        var tokens: Set<NotifyCenter.ObservationToken> = []
        let note: @Sendable (CartDidChange) -> Void = { _ in
            counts.add()
            heard.noteNow(counts.value)
        }
        let messages = center.messages(of: subject, for: .cartDidChange, bufferSize: 10)
        let events = center.events(of: subject, for: .cartDidChange, replay: .none, buffer: .bufferingOldest(10))
        let latest = center.latest(of: subject, for: .cartDidChange)
        center.addObserver(of: subject, for: .cartDidChange, bufferSize: 10) { note($0) }.store(in: &tokens)
        center.addObserver(of: subject, for: .cartDidChange, context: model, bufferSize: 10) { _, change in note(change)
        }
        .store(in: &tokens)
        center.addMainActorObserver(of: subject, for: .cartDidChange, bufferSize: 10) { change in
            MainActor.assertIsolated()
            note(change)
        }.store(in: &tokens)
        center.addMainActorObserver(of: subject, for: .cartDidChange, context: model, bufferSize: 10) { _, change in
            MainActor.assertIsolated()
            note(change)
        }.store(in: &tokens)
        let within = try await center.withMessages(of: subject, for: .cartDidChange, bufferSize: 10) { changes in
            for number in 1...2 {
                try await center.post(CartDidChange(itemCount: number), subject: number == 2 ? "s" : "t")
            }
            var iterator = changes.makeAsyncIterator()
            return await iterator.next()?.itemCount
        }
        #expect(within == 2)
        var iterator = messages.makeAsyncIterator()
        #expect(await iterator.next()?.itemCount == 2)
        var eventIterator = events.makeAsyncIterator()
        guard case .message(let change, _)? = try await eventIterator.next() else {
            Issue.record("no message")
            return
        }
        #expect(change.itemCount == 2)
        while heard.count < 4 { await Task.yield() }
        while latest.value?.itemCount != 2 { await Task.yield() }
        #expect(counts.value == 4)
    }
}

private final class Model: Sendable {}
