// What a sequence value holds: the wish, and the feed that was opened when the sequence was made. The first iterator
// takes that feed; further ones get feeds of their own. When nobody holds them any more, they are closed.

import NotifyLock

final class FeedSource: Sendable {
    let link: Link
    let wish: Wish
    let counters: Counters

    private struct State {
        /// The feed that no iterator has taken yet.
        var first: Feed?
        var feeds: [UInt64: Feed] = [:]
        var isClosed = false
    }

    private let state: Locked<State>

    init(link: Link, wish: Wish) {
        self.link = link
        self.wish = wish
        counters = Counters(sum: link.counters)
        let feed = link.open(wish, counters)
        state = Locked(State(first: feed, feeds: [feed.id: feed]))
    }

    deinit {
        close()
    }

    func makeReader() -> FeedReader {
        let first = state.withLock { state in
            defer { state.first = nil }
            return state.first
        }
        if let first { return FeedReader(FeedHandle(self, first)) }
        let feed = link.open(wish, counters)
        let isClosed = state.withLock { state in
            state.feeds[feed.id] = feed
            return state.isClosed
        }
        if isClosed { close() }
        return FeedReader(FeedHandle(self, feed))
    }

    /// Waits until the daemon has acknowledged the subscription.
    nonisolated(nonsending) func acknowledged() async throws(NotifyError) {
        try await link.ready()
        if let failure = state.withLock({ $0.first?.failure }) { throw failure }
    }

    /// Ends all feeds.
    func close() {
        let feeds = state.withLock { state in
            state.isClosed = true
            state.first = nil
            defer { state.feeds = [:] }
            return state.feeds
        }
        for feed in feeds.values { link.close(feed) }
    }

    func release(_ feed: Feed) {
        let isOpen = state.withLock { $0.feeds.removeValue(forKey: feed.id) != nil }
        if isOpen { link.close(feed) }
    }
}

/// Keeps a feed open for the iterator, and all copies of it, that read it.
final class FeedHandle: Sendable {
    let source: FeedSource
    let feed: Feed

    init(_ source: FeedSource, _ feed: Feed) {
        self.source = source
        self.feed = feed
    }

    deinit {
        feed.isLetGo()
        source.release(feed)
    }
}
