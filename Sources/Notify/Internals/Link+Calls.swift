// What the public surface asks of the link, on any thread.

import NotifyLock
import NotifyTransport
import NotifyWire

extension Link {
    var server: NotifyCenter.ServerInfo? { state.withLock { $0.machine.server } }

    var diagnostics: NotifyCenter.Diagnostics {
        let (refused, disconnects) = state.withLock { ($0.refused, $0.disconnects) }
        return NotifyCenter.Diagnostics(
            undecodable: counters.undecodable, dropped: counters.dropped, refused: refused, disconnects: disconnects)
    }

    func states() -> NotifyCenter.ConnectionStates {
        NotifyCenter.ConnectionStates { self.watch() }
    }

    /// States that a slow watcher has not taken yet.
    private static let watcherLimit = 64

    private func watch() -> AsyncStream<NotifyCenter.ConnectionState> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: NotifyCenter.ConnectionState.self, bufferingPolicy: .bufferingNewest(Self.watcherLimit))
        let id = nextID()
        let isOver = state.withLock { state in
            continuation.yield(state.present)
            if case .closed = state.present { return true }
            state.watchers[id] = continuation
            return false
        }
        if isOver {
            continuation.finish()
        } else {
            continuation.onTermination = { [weak self] _ in
                // Let go of it only after the lock.
                _ = self?.state.withLock { $0.watchers.removeValue(forKey: id) }
            }
        }
        return stream
    }

    nonisolated(nonsending) func ready() async throws(NotifyError) {
        _ = try await ask(.ping)
    }

    // MARK: Posting

    /// - Parameter isPipelined: more may follow at once, so that many are sent at a time.
    nonisolated(nonsending) func submit(
        _ draft: PostDraft, isPipelined: Bool
    ) async throws(NotifyError) -> NotifyCenter.PendingReceipt {
        while true {
            if Task.isCancelled { throw NotifyError(.cancelled, "the task was cancelled before the message was sent") }
            let answer = Answer(id: nextID())
            let line = Self.line(draft, answer.id)
            let repetition: Repetition = draft.key == nil ? .never : .keyed
            let room = try step(gathers: isPipelined) { state, now throws(NotifyError) -> Answer? in
                if let error = state.machine.closedError { throw error }
                if !state.machine.hasRoom {
                    let room = Answer(id: 0)
                    state.waitingForRoom.append(room)
                    return room
                }
                state.machine.releaseHeld(before: draft, now)
                try state.machine.ask(id: answer.id, waiter: answer, line: line, repetition: repetition, now)
                return nil
            }
            guard let room else { return NotifyCenter.PendingReceipt(answer: answer) }
            _ = try? await room.value
        }
    }

    /// From synchronous code, with a key as `post` has one.
    ///
    /// - Parameter body: gets the receipt before the message is sent.
    func submitAtOnce(
        _ draft: PostDraft, _ body: (NotifyCenter.PendingReceipt) -> Void
    ) throws(NotifyError) {
        var draft = draft
        draft.key = draft.key ?? keys.next(now)
        let answer = Answer(id: nextID())
        let line = Self.line(draft, answer.id)
        let repetition: Repetition = draft.key == nil ? .never : .keyed
        body(NotifyCenter.PendingReceipt(answer: answer))
        do throws(NotifyError) {
            try step(gathers: true) { state, now throws(NotifyError) in
                try state.machine.checkRoom()
                state.machine.releaseHeld(before: draft, now)
                try state.machine.ask(id: answer.id, waiter: answer, line: line, repetition: repetition, now)
            }
        } catch {
            answer.resolve(.failure(error))
            throw error
        }
    }

    /// Posts and waits. Such a post has a key, if the daemon can be expected to remember it: so it can be sent again when
    /// the connection is lost before its answer.
    nonisolated(nonsending) func post(_ draft: PostDraft) async throws(NotifyError) -> NotifyCenter.PostReceipt {
        guard draft.key == nil, let key = keys.next(now) else {
            return try await postOnce(draft)
        }
        var keyed = draft
        keyed.key = key
        do {
            var receipt = try await postOnce(keyed)
            // A repetition that the caller never hears of.
            receipt.isDuplicate = false
            return receipt
        } catch {
            // There may be no room for more keys. Nobody has asked for this one.
            guard error.code == .quotaExceeded else { throw error }
            return try await postOnce(draft)
        }
    }

    /// If the task is cancelled while the message waits for a connection, it is not sent.
    private nonisolated(nonsending) func postOnce(
        _ draft: PostDraft
    ) async throws(NotifyError) -> NotifyCenter.PostReceipt {
        let pending = try await submit(draft, isPipelined: false)
        do {
            return try await pending.value
        } catch {
            if error.code == .cancelled, withdraw(pending.answer) {
                throw NotifyError(.cancelled, "the task was cancelled before the message was sent")
            }
            throw error
        }
    }

    private func withdraw(_ answer: Answer) -> Bool {
        step { state, _ in state.machine.requests.withdraw(answer.id) }
    }

    func enqueue(_ draft: PostDraft, _ coalescing: NotifyCenter.Coalescing?) throws(NotifyError) {
        let line = Self.line(draft, nil)
        try step(gathers: true) { state, now throws(NotifyError) in
            try state.machine.checkRoom()
            if let coalescing {
                let key = HeldPosts.Key(draft, coalescing.scope)
                return try state.machine.hold(line, key, for: coalescing.interval.nanoseconds, now)
            }
            state.machine.releaseHeld(before: draft, now)
            try state.machine.enqueue(line: line, now)
        }
    }

    /// - Parameter draft: nil takes the will back.
    nonisolated(nonsending) func setWill(_ draft: PostDraft?) async throws(NotifyError) {
        let answer = Answer(id: nextID())
        let line =
            if let draft {
                ClientLine.will(
                    id: answer.id, channel: draft.channel.rawValue, type: draft.type, subject: draft.subject?.rawValue,
                    terms: draft.terms, payload: draft.payload)
            } else {
                ClientLine.ask(.will, id: answer.id)
            }
        try step { state, now throws(NotifyError) in
            try state.machine.ask(
                id: answer.id, waiter: answer, line: line, repetition: .always, will: draft == nil ? .forget : .keep,
                now)
        }
        _ = try await answer.value
    }

    private static func line(_ draft: PostDraft, _ id: UInt64?) -> [UInt8] {
        ClientLine.post(
            id: id, channel: draft.channel.rawValue, type: draft.type, subject: draft.subject?.rawValue,
            terms: draft.terms, payload: draft.payload)
    }

    // MARK: Asking

    nonisolated(nonsending) func ask(_ question: Question) async throws(NotifyError) -> Reply {
        let answer = Answer(id: nextID())
        let id = answer.id
        let (line, repetition): ([UInt8], Repetition) =
            switch question {
            case .get(let channel): (ClientLine.ask(.get, id: id, channel: channel.rawValue), .always)
            // Repeated after a reconnect, it could forget a message that was retained meanwhile.
            case .clear(let channel): (ClientLine.ask(.clear, id: id, channel: channel.rawValue), .never)
            case .channels(let pattern, let after):
                (ClientLine.list(.channels, id: id, match: pattern?.rawValue, after: after), .always)
            case .clients(let after): (ClientLine.list(.clients, id: id, match: nil, after: after), .always)
            case .subscriptions(let pattern, let after):
                (ClientLine.list(.subscriptions, id: id, match: pattern?.rawValue, after: after), .always)
            case .statistics: (ClientLine.ask(.stats, id: id), .always)
            // Repeated, it would be told that there is no such post any more.
            case .cancel(let schedule): (ClientLine.cancel(id: id, schedule: schedule), .never)
            case .explain(let right, let channel, let subject):
                (
                    ClientLine.explain(
                        id: id, right: right.rawValue, channel: channel, uid: subject?.uid,
                        groups: subject?.groups, unit: subject?.unit), .always
                )
            case .ping: (ClientLine.ask(.ping, id: id), .always)
            }
        try step { state, now throws(NotifyError) in
            try state.machine.ask(id: id, waiter: answer, line: line, repetition: repetition, now)
        }
        return try await answer.value
    }

    // MARK: Listening

    func subscribe(_ wish: Wish) -> FeedSource {
        FeedSource(link: self, wish: wish)
    }

    func open(_ wish: Wish, _ counters: Counters) -> Feed {
        let feed = Feed(id: nextID(), wish.options.buffer, counters: counters, activity: activity) { [weak self] id in
            self?.step { state, _ in _ = state.full.remove(id) }
        }
        step { state, now in state.machine.subscribe(feed, id: feed.id, to: wish.keys(feed.id), now) }
        return feed
    }

    func close(_ feed: Feed) {
        feed.end(nil)
        feed.wake()
        step { state, _ in
            state.full.remove(feed.id)
            state.machine.unsubscribe(feed.id)
        }
    }

    // MARK: Ending

    func shutdown(drainingFor limit: Duration) async {
        let end = Answer(id: 0)
        step { state, _ in state.waitingForEnd.append(end) }
        beginShutdown(drainingFor: limit)
        do {
            _ = try await end.value
        } catch {
            // The task was cancelled: no more patience.
            step { state, _ in state.machine.depart() }
        }
    }

    private func beginShutdown(drainingFor limit: Duration) {
        step { state, now in state.machine.shutDown(now, deadline: now &+ limit.nanoseconds) }
    }

    func run(drainingFor limit: Duration) async throws(NotifyError) {
        let end = Answer(id: 0)
        await withTaskCancellationHandler {
            step { state, now in
                state.waitingForEnd.append(end)
                state.machine.want(now)
            }
            await end.isThere()
        } onCancel: {
            beginShutdown(drainingFor: limit)
        }
        if case .closed(let error?) = state.withLock({ $0.machine.phase }) { throw error }
    }
}
