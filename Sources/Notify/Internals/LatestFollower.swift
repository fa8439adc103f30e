// What becomes of a subscription that only the last value is wanted of. What was posted while there was no connection is
// replayed after it is back; not before that is through is the value known to be the last one again.
//
// After a loss that history cannot make up for, the retained message is asked for: it may be older than history, and newer
// than what was seen. If there is none, and none came since, nobody knows whether the value is still the last one.

@MainActor struct LatestFollower<M: NotifyCenter.Message> {
    /// What is new; both change at once.
    struct News {
        var value: (M, NotifyCenter.MessageInfo)?
        var status: NotifyCenter.Latest<M>.Status?
    }

    private let source: FeedSource
    private var reader: FeedReader
    private var isLive = false
    private var isOver = false
    private var hasValue = false
    /// Where the last value stands; 0 when any one is newer.
    private var position: UInt64 = 0
    /// Something is missing: the retained message is to be asked for when the replay is through.
    private var hasLost = false
    /// The daemon has not confirmed the value since something was missing.
    private var isInDoubt = false

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
                let wasUnconfirmed = isLive && isInDoubt
                guard let value = accept(raw) else { continue }
                return News(value: value, status: wasUnconfirmed ? .current : nil)
            case .gap(let gap):
                guard [.epoch, .history, .disconnected].contains(gap.reason) else { continue }
                if gap.reason == .epoch { position = 0 }
                hasLost = true
                isInDoubt = hasValue
            case .live:
                let value = hasLost ? await takeRetained() : nil
                isLive = true
                return News(value: value, status: isInDoubt ? .unconfirmed : .current)
            case .disconnected(let error):
                isLive = false
                return News(status: .disconnected(error))
            // Not before what came meanwhile is through.
            case .reconnected: continue
            }
        }
        isOver = true
        do {
            try reader.checkFailure()
            return News(status: .ended(nil))
        } catch {
            return News(status: .ended(error))
        }
    }

    private mutating func accept(_ raw: NotifyCenter.RawMessage) -> (M, NotifyCenter.MessageInfo)? {
        let info = raw.info
        guard info.position > position, let value = reader.readOrSkip(M.self, from: raw) else { return nil }
        position = info.position
        (hasValue, isInDoubt) = (true, false)
        return (value, info)
    }

    /// Asks for the channel's retained message, and takes it if it is about the subject and newer.
    private mutating func takeRetained() async -> (M, NotifyCenter.MessageInfo)? {
        do {
            let message = try await source.link.ask(.get(M.channel)).retainedMessage()
            hasLost = false
            guard let message, source.wish.options.subject.map({ $0 == message.subject }) ?? true else { return nil }
            if message.info.position == position { isInDoubt = false }
            return accept(message)
        } catch {
            // Asked for again when the next replay is through.
            isInDoubt = hasValue
            return nil
        }
    }
}
