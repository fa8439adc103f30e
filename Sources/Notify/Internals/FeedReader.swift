// What an iterator holds: a handle on the feed and the chunk it has taken from it.

import NotifyWire

struct FeedReader {
    private let handle: FeedHandle
    /// What was taken and not yet returned, the next one last.
    private var chunk: [Feed.Buffer.Item] = []
    private var isFinished = false

    init(_ handle: FeedHandle) {
        self.handle = handle
    }

    /// The next thing; nil at the end, and from then on.
    mutating func next(isolation actor: isolated (any Actor)?) async -> NotifyCenter.RawEvent? {
        if isFinished { return nil }
        if chunk.isEmpty { chunk = await handle.feed.take(isolation: actor) }
        guard !Task.isCancelled, let item = chunk.popLast() else {
            isFinished = true
            chunk = []
            return nil
        }
        return Self.event(item)
    }

    /// Whether `next` will not have to wait.
    var isNextReady: Bool { !chunk.isEmpty || handle.feed.hasItems }

    private static func event(_ item: Feed.Buffer.Item) -> NotifyCenter.RawEvent {
        switch item {
        case .message(let message): .message(message)
        case .mark(.loss(let loss)): .gap(loss.gap)
        case .mark(.gap(let gap)): .gap(gap)
        case .mark(.live): .live
        case .mark(.disconnected(let error)): .disconnected(error)
        case .mark(.reconnected): .reconnected
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
