// An event handler that tells the test what it was told, and does what the test wants on the loop's queue.

import NotifyTransport

final class Probe: EventHandler, @unchecked Sendable {
    enum Event: Equatable {
        case ready(Readiness, token: UInt32)
        case wakeUpEnded
        case deadline(UInt64)
    }

    let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation
    private let onReady: (Readiness, UInt32) -> Void
    /// To be used on the loop's queue.
    var id = HandlerID.unset

    init(onReady: @escaping (Readiness, UInt32) -> Void = { _, _ in }) {
        (events, continuation) = AsyncStream.makeStream()
        self.onReady = onReady
    }

    func ready(_ readiness: Readiness, token: UInt32) {
        onReady(readiness, token)
        continuation.yield(.ready(readiness, token: token))
    }

    func wakeUpEnded() { continuation.yield(.wakeUpEnded) }

    func deadlineReached(_ now: UInt64) { continuation.yield(.deadline(now)) }

    /// The next events, `count` of them.
    func next(_ count: Int) async -> [Event] {
        var found: [Event] = []
        for await event in events {
            found.append(event)
            if found.count == count { break }
        }
        return found
    }
}

extension EventLoop {
    /// Runs `body` on the loop's queue and returns what it returns.
    func run<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
        await withCheckedContinuation { continuation in
            execute { continuation.resume(returning: body()) }
        }
    }
}
