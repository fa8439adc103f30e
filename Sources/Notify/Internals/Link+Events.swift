// What the event loop tells the link. All of it comes on the loop's queue.

import NotifyTransport
import NotifyWire

extension Link {
    func attempted(_ attempt: ConnectionAttempt) {
        step(onLoop: true) { state, now in
            switch attempt {
            case .connected(let socket, let path):
                state.machine.connected(now)
                guard case .greeting = state.machine.phase else {
                    // Nobody wants the connection any more.
                    state.machine.effects.append(.disconnect)
                    return
                }
                state.socket = socket
                state.readsInput = true
                state.path = path
            case .busy(let error):
                state.path = error.socketPath
                state.machine.busy(now, error)
            case .failed(let error): state.machine.lost(error, now)
            }
        }
    }

    /// The socket takes bytes again.
    func canWrite() {
        let isEmpty = step(onLoop: true) { state, _ in
            state.isBlocked = false
            var followup = Followup()
            flush(&state, &followup)
            return !state.isBlocked
        }
        if isEmpty { stopWatchingOutput() }
    }

    /// The connection is gone; nil: the daemon has closed it.
    func lost(_ error: NotifyError?) {
        step(onLoop: true) { state, now in
            var error =
                error
                ?? NotifyError(.notConnected, "the daemon at \(state.path ?? "the socket") closed the connection")
            error.socketPath = error.socketPath ?? state.path
            state.machine.lost(error, now)
        }
    }

    func tick() {
        step(onLoop: true) { state, now in
            state.armed = nil
            state.machine.tick(now, silent: Places.silence(state.path))
        }
    }

    /// The daemon can be expected to be there: it is tried at once.
    func retry() {
        step(onLoop: true) { state, now in state.machine.retry(now) }
    }

    /// Lines have come.
    func received(_ read: ReadBatch) {
        var touched: [ObjectIdentifier: Feed] = [:]
        var slow: [NotifyCenter.Channel] = []
        step(onLoop: true) { state, now in
            // The answer to hello, which tells of another epoch, comes before there are subscriptions.
            let batch = read.batch(epoch: state.machine.epoch)
            // Marks are put in their places as they come; the rest of what follows is done by `step`.
            for item in read.steps {
                switch item {
                case .messages(let sub, let range):
                    deliver(batch, range, to: sub, &state, &touched, &slow)
                case .line(let line):
                    let earlier = state.machine.effects.count
                    handle(line, batch, &state, now)
                    placeMarks(from: earlier, &state, &touched)
                }
            }
            state.machine.finishDraining(now)
        }
        for feed in touched.values { feed.wake() }
        for channel in slow { report(.slowConsumer(channel)) }
    }

    private func deliver(
        _ batch: MessageBatch, _ range: Range<Int>, to sub: UInt64, _ state: inout State,
        _ touched: inout [ObjectIdentifier: Feed], _ slow: inout [NotifyCenter.Channel]
    ) {
        guard let entry = state.machine.table.entries[sub] else { return }
        state.machine.note(batch.messages[range], at: sub)
        var (batch, range) = (batch, range)
        if entry.seats.count > 1 { batch.share() }
        // A few messages must not keep the bytes of a whole read.
        if batch.byteCount(range) * Self.pinningLimit < batch.bytes.count {
            batch = batch.excerpt(range)
            range = 0..<range.count
        }
        for seat in entry.seats {
            let feed = seat.consumer
            let becameSlow = feed.append(batch, range) { index in
                let fields = batch.messages[index]
                if fields.pos <= seat.after { return false }
                if fields.isReplay, state.machine.isRepetition(fields, at: entry) { return false }
                return seat.earlier.isEmpty || !batch.matches(seat.earlier, fields.channel)
            }
            if let becameSlow { slow.append(becameSlow) }
            touched[ObjectIdentifier(feed)] = feed
            if entry.key.buffer.kind == .block, feed.holdsUpIfFull() { state.full.insert(feed.id) }
            if entry.key.buffer.kind == .fail, feed.hasFailed {
                let limit = entry.key.buffer.messages
                feed.end(NotifyError(.overflow, "the reader is behind by more than \(limit) messages"))
                state.machine.unsubscribe(feed.id)
            }
        }
    }

    /// A batch may be this many times as long as the part of it that a subscription holds.
    private static let pinningLimit = 4

    /// Looks at the effects of this line only: a read may bring thousands of answers, whose effects come before.
    private func placeMarks(from start: Int, _ state: inout State, _ touched: inout [ObjectIdentifier: Feed]) {
        var index = start
        while index < state.machine.effects.count {
            switch state.machine.effects[index] {
            case .mark(let feed, let mark):
                feed.append(mark)
                touched[ObjectIdentifier(feed)] = feed
            case .end(let feed, let error):
                feed.end(error)
                state.full.remove(feed.id)
                touched[ObjectIdentifier(feed)] = feed
            default:
                index += 1
                continue
            }
            state.machine.effects.remove(at: index)
        }
    }

    private func handle(_ line: DaemonLine, _ batch: MessageBatch, _ state: inout State, _ now: UInt64) {
        switch line {
        case .ok(let fields): accepted(Reply(fields: fields, batch: batch), &state, now)
        case .error(let fields):
            let error = NotifyError(
                NotifyError.Code(rawValue: batch.text(fields.code)),
                fields.message.isAbsent ? "refused" : batch.text(fields.message),
                offset: fields.offset.map { Int(clamping: $0) }, sequence: fields.seq,
                retryAfter: fields.retryMilliseconds.map { .milliseconds(Int64(clamping: $0)) }, socketPath: state.path)
            state.machine.refused(id: fields.id, sub: fields.sub, error, now)
        case .gap(let fields): tell(fields, batch, &state)
        case .live(let sub, let position): state.machine.live(sub, position: position)
        case .bye(let reason):
            let why = reason.isAbsent ? "" : ": \(batch.text(reason))"
            let error = NotifyError(
                .notConnected, "the daemon at \(state.path ?? "the socket") said goodbye\(why)", socketPath: state.path)
            state.machine.noteFarewell(error, isBye: true)
        case .message, .unknown, .blank, .malformed: break
        }
    }

    private func accepted(_ reply: Reply, _ state: inout State, _ now: UInt64) {
        guard reply.fields.id == Machine.helloID else { return state.machine.answered(reply, now) }
        do {
            state.machine.greeted(try reply.serverInfo(socketPath: state.path ?? ""), now)
        } catch {
            state.machine.lost(error, now)
        }
    }

    private func tell(_ fields: GapFields, _ batch: MessageBatch, _ state: inout State) {
        let gap = NotifyCenter.Gap(
            channel: fields.channel.isAbsent ? nil : NotifyCenter.Channel(trusted: batch.text(fields.channel)),
            from: fields.from, to: fields.to, count: fields.count,
            reason: NotifyCenter.Gap.Reason(rawValue: fields.reason.isAbsent ? "unknown" : batch.text(fields.reason)))
        state.machine.gap(gap, sub: fields.sub) { earlier in
            !fields.channel.isAbsent && batch.matches(earlier, fields.channel)
        }
    }
}
