// Operators for bursts, and a clock of one's own.

import Notify

struct StoppedClock: Clock {
    var now: ContinuousClock.Instant { .now }
    var minimumResolution: Duration { .zero }
    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        try await ContinuousClock().sleep(until: deadline, tolerance: tolerance)
    }
}

func count<Stream: NotifyCenter.MessageSequence>(_ stream: Stream) async throws -> Int {
    var count = 0
    for try await _ in stream { count += 1 }
    return count
}

func bursts(_ center: NotifyCenter) async throws {
    let changes = center.messages(for: CartDidChange.self)
    let debounced: NotifyCenter.DebounceSequence<NotifyCenter.Messages<CartDidChange>, ContinuousClock> =
        changes.debounce(for: .seconds(1))
    var quiet = debounced.makeAsyncIterator()
    print(await quiet.next()?.itemCount ?? 0, await quiet.next(isolation: #isolation)?.itemCount ?? 0)

    let throttled = changes.throttle(for: .seconds(1), clock: StoppedClock())
    var paced: NotifyCenter.ThrottleSequence<NotifyCenter.Messages<CartDidChange>, StoppedClock>.AsyncIterator =
        throttled.makeAsyncIterator()
    print(await paced.next()?.itemCount ?? 0, await paced.next(isolation: #isolation)?.itemCount ?? 0)

    let batches: NotifyCenter.BatchSequence<NotifyCenter.Events<Door>, StoppedClock> =
        center.events(for: Door.self).batches(ofCount: 10, or: .seconds(1), clock: StoppedClock())
    var batch = batches.makeAsyncIterator()
    print(try await batch.next()?.count ?? 0, try await batch.next(isolation: #isolation)?.count ?? 0)

    let doors: NotifyCenter.RemoveDuplicatesSequence<NotifyCenter.Messages<Door>> =
        center.messages(for: Door.self).removeDuplicates()
    var door = doors.makeAsyncIterator()
    print(await door.next() ?? .open, await door.next(isolation: #isolation) ?? .open)
    print(try await count(changes.removeDuplicates { $0.itemCount == $1.itemCount }))

    let merged: NotifyCenter.MergeSequence<NotifyCenter.Messages<Door>, AsyncStream<Door>> =
        NotifyCenter.merge(center.messages(for: Door.self), AsyncStream { nil })
    var either = merged.makeAsyncIterator()
    print(await either.next() ?? .open, await either.next(isolation: #isolation) ?? .open)
}
