// What has to be done after a change, as often as makes sense: the index takes changes together, a hundred at once or what
// came within a moment; the list is drawn when it has become quiet. The clock comes from outside, for the tests.

import Notify

/// Hands over each changed record, many at a time. None is left out.
func index<C: Clock>(
    _ changes: NotifyCenter.Messages<RecordDidChange>, clock: C, into store: (Set<Int>) async -> Void
) async where C.Duration == Duration {
    for await batch in changes.batches(ofCount: 100, or: .milliseconds(200), clock: clock) {
        await store(Set(batch.map(\.id)))
    }
}

/// Draws once after each burst.
func draw<C: Clock>(
    _ changes: NotifyCenter.Messages<RecordDidChange>, clock: C, on screen: (Int) async -> Void
) async where C.Duration == Duration {
    for await last in changes.debounce(for: .milliseconds(100), clock: clock) {
        await screen(last.id)
    }
}
