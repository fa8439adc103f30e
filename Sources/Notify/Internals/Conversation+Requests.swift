// Asking and being answered.

import NotifyWire

extension Conversation {
    /// Sends a request, or keeps it until there is a connection.
    mutating func ask(
        id: UInt64, waiter: Waiter?, line: [UInt8], repetition: Repetition, will: WillChange? = nil, _ now: UInt64
    ) throws(NotifyError) {
        if let closedError { throw closedError }
        var request = Requests.Request(
            id: id, waiter: waiter, line: line, repetition: repetition, will: will,
            answerBy: settings.requestTimeout.map { now &+ $0 })
        want(now)
        if isOpen {
            try checkLength(request.line)
            send(request, now)
        } else {
            request.connectBy = now &+ settings.connectTimeout
            requests.wait(request)
        }
    }

    /// Sends a post that wants no receipt, or keeps it until there is a connection.
    mutating func enqueue(line: [UInt8], _ now: UInt64) throws(NotifyError) {
        if isEnding, let closedError { throw closedError }
        want(now)
        if isOpen {
            try checkLength(line)
            sendSilent(line, now)
        } else {
            requests.wait(
                Requests.Request(
                    id: 0, waiter: nil, line: line, repetition: .never, isSilent: true,
                    connectBy: now &+ settings.connectTimeout))
        }
    }

    private mutating func sendSilent(_ line: [UInt8], _ now: UInt64) {
        silent.send(line, at: outbox.end, now)
        outbox.append(line)
        pingBehindSilent(now)
    }

    /// Asks for a word that vouches for the posts without a receipt, if one is due.
    mutating func pingBehindSilent(_ now: UInt64) {
        guard isOpen, silent.wantsPing(now, isUrgent: drainUntil != nil) else { return }
        let id = ids()
        silent.sendPing(id, at: outbox.end)
        outbox.append(ClientLine.ask(.ping, id: id))
    }

    private mutating func confirmed(by id: UInt64, _ now: UInt64) -> Bool {
        guard silent.confirm(id, now) else { return false }
        pingBehindSilent(now)
        return true
    }

    /// What was sent without asking for a receipt, and nothing vouches for.
    mutating func unconfirmed() -> [Requests.Request] {
        silent.disconnect().map { line, offset in
            Requests.Request(
                id: 0, waiter: nil, line: line, repetition: .never, isSilent: true, offset: offset)
        }
    }

    /// For who cannot wait for room. (Inlined, as other questions at every post: a call would be given a copy of all this.)
    @inline(__always)
    func checkRoom() throws(NotifyError) {
        if isEnding || hasRoom { return }
        throw NotifyError(.overflow, "\(Self.pendingByteLimit) bytes of posts wait for the daemon already")
    }

    @inline(__always)
    func checkLength(_ line: [UInt8]) throws(NotifyError) {
        guard line.count > lineLimit else { return }
        throw NotifyError(
            .lineTooLong, "the request has \(line.count) bytes, the daemon takes lines of at most \(lineLimit)")
    }

    mutating func send(_ request: Requests.Request, _ now: UInt64) {
        do {
            try checkLength(request.line)
        } catch {
            return fail(request, error)
        }
        if request.isSilent { return sendSilent(request.line, now) }
        var request = request
        request.offset = outbox.end
        if request.repetition == .keyed, request.repeatBy == nil { request.repeatBy = now &+ repeatWindow }
        outbox.append(request.line)
        requests.send(request)
    }

    /// The daemon has accepted a request.
    mutating func answered(_ reply: Reply, _ now: UInt64) {
        position = max(position, reply.fields.pos)
        noteService()
        guard let id = reply.fields.id, !confirmed(by: id, now),
            !subscriptionAnswered(id, .success(reply.fields.pos), now),
            let request = requests.answer(id)
        else { return }
        noteWill(request)
        if let waiter = request.waiter { effects.append(.resolve(waiter, .success(reply))) }
    }

    /// The daemon has refused a request, or says that something is wrong.
    mutating func refused(id: UInt64?, sub: UInt64?, _ error: NotifyError, _ now: UInt64) {
        if id == Self.helloID {
            noteFarewell(error, isBye: false)
            return lost(error, now)
        }
        if let id {
            if error.code != .shuttingDown { noteService() }
            if subscriptionAnswered(id, .failure(error), now) { return }
            if let request = requests.answer(id) {
                fail(request, error)
            } else if id == will?.id {
                effects.append(.unheard(error))
            }
        } else if let sub {
            // Of a reader that is too slow it is known; that rules have changed nobody has asked for.
            if error.code == .denied, table.entries[sub] != nil { effects.append(.unheard(error)) }
            end(sub, error)
        } else {
            if !isOpen { noteFarewell(error, isBye: false) }
            effects.append(.unheard(error))
        }
    }
}
