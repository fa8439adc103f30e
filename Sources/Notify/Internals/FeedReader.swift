// What an iterator holds: a handle on the feed and the chunk it has taken from it.

import NotifyWire

struct FeedReader {
    private let handle: FeedHandle
    /// What was taken and not yet returned.
    private var run: MessageRun?
    private var isFinished = false

    init(_ handle: FeedHandle) {
        self.handle = handle
    }

    /// The next thing; nil at the end, and from then on.
    mutating func next(isolation actor: isolated (any Actor)?) async -> NotifyCenter.RawEvent? {
        if let message = nextAtHand() { return .message(message) }
        if isFinished { return nil }
        guard !Task.isCancelled, let item = await handle.feed.take(isolation: actor), !Task.isCancelled else {
            isFinished = true
            run = nil
            return nil
        }
        switch item {
        case .messages(let taken):
            run = taken
            return nextAtHand().map { .message($0) }
        case .mark(let mark): return Self.event(mark)
        }
    }

    /// The next message, if it was taken already: then nobody has to wait.
    mutating func nextAtHand() -> NotifyCenter.RawMessage? {
        guard run != nil, !Task.isCancelled else { return nil }
        let message = run?.popFirst()
        // What was read is not kept longer than needed.
        if run?.range.isEmpty == true { run = nil }
        return message
    }

    /// Whether `next` will not have to wait.
    var isNextReady: Bool { run?.range.isEmpty == false || handle.feed.hasItems }

    private static func event(_ mark: Feed.Buffer.Mark) -> NotifyCenter.RawEvent {
        switch mark {
        case .loss(let loss): .gap(loss.gap)
        case .gap(let gap): .gap(gap)
        case .live: .live
        case .disconnected(let error): .disconnected(error)
        case .reconnected: .reconnected
        }
    }

    /// Throws what ended the feed, unless its reader did.
    func checkFailure() throws(NotifyError) {
        if !Task.isCancelled, let failure = handle.feed.failure { throw failure }
    }

    /// A message as a value.
    func read<M: NotifyCenter.Message>(
        _ type: M.Type, from raw: NotifyCenter.RawMessage
    ) throws(NotifyError) -> M {
        let name = handle.source.wish.typeName ?? M.type
        if !raw.fields.type.isAbsent, !raw.batch.equals(raw.fields.type, name) {
            throw NotifyError(
                .decodingFailed, "the message on '\(raw.channel)' is of type '\(raw.type ?? "")', not '\(name)'")
        }
        return try raw.batch.decode(type, at: raw.index)
    }

    /// A message as a value; nil, and counted, if it is none.
    func readOrSkip<M: NotifyCenter.Message>(_ type: M.Type, from raw: NotifyCenter.RawMessage) -> M? {
        do {
            return try read(type, from: raw)
        } catch {
            handle.source.counters.addUndecodable()
            handle.source.link.report(.undecodable(raw, error))
            return nil
        }
    }
}
