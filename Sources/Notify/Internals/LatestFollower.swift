// What becomes of a subscription that only the last value is wanted of. After a loss that history cannot make up for, the
// retained value is asked for: it may be older than history, and newer than what was seen.

@MainActor struct LatestFollower<M: NotifyCenter.Message> {
    enum News {
        case value(M, NotifyCenter.MessageInfo)
        case status(NotifyCenter.Latest<M>.Status)
    }

    private let source: FeedSource
    private var reader: FeedReader
    private var isLive = false
    private var isOver = false
    /// Where the last value stands; 0 when any one is newer.
    private var position: UInt64 = 0

    init(source: FeedSource) {
        self.source = source
        reader = source.makeReader()
    }

    /// The next change; nil at the end.
    mutating func next() async -> News? {
        if isOver { return nil }
        while let event = await reader.next(isolation: MainActor.shared) {
            switch event {
            case .message(let raw):
                if let news = accept(raw) { return news }
            case .gap(let gap):
                if gap.reason == .epoch { position = 0 }
                guard [.epoch, .history, .disconnected].contains(gap.reason) else { continue }
                if let raw = await retained(), let news = accept(raw) { return news }
            case .live:
                isLive = true
                return .status(.current)
            case .disconnected(let error): return .status(.disconnected(error))
            case .reconnected: if isLive { return .status(.current) }
            }
        }
        isOver = true
        do {
            try reader.checkFailure()
            return .status(.ended(nil))
        } catch {
            return .status(.ended(error))
        }
    }

    private mutating func accept(_ raw: NotifyCenter.RawMessage) -> News? {
        let info = raw.info
        guard info.position > position, let value = reader.readOrSkip(M.self, from: raw) else { return nil }
        position = info.position
        return .value(value, info)
    }

    /// The channel's retained message, if it is about the subject.
    private func retained() async -> NotifyCenter.RawMessage? {
        let message = try? await source.link.ask(.get(M.channel)).retainedMessage()
        guard let message, source.wish.options.subject.map({ $0 == message.subject }) ?? true else { return nil }
        return message
    }
}
