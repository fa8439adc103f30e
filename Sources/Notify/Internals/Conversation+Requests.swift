// Asking and being answered.

import NotifyWire

extension Conversation {
    /// Sends a request, or keeps it until there is a connection.
    mutating func ask(
        id: UInt64, waiter: Waiter?, line: [UInt8], isRepeatable: Bool, _ now: UInt64
    ) throws(NotifyError) {
        if let closedError { throw closedError }
        var request = Requests.Request(
            id: id, waiter: waiter, line: line, isRepeatable: isRepeatable,
            answerBy: settings.requestTimeout.map { now &+ $0 })
        want(now)
        if isOpen {
            try checkLength(request)
            send(request)
        } else {
            request.connectBy = now &+ settings.connectTimeout
            requests.wait(request)
        }
    }

    private func checkLength(_ request: Requests.Request) throws(NotifyError) {
        guard let limit = server?.limits.lineBytes, request.line.count > limit else { return }
        throw NotifyError(
            .lineTooLong, "the request has \(request.line.count) bytes, the daemon takes lines of at most \(limit)")
    }

    mutating func send(_ request: Requests.Request) {
        do {
            try checkLength(request)
        } catch {
            return fail(request, error)
        }
        var request = request
        request.offset = outbox.end
        outbox.append(request.line)
        requests.send(request)
    }

    /// The daemon has accepted a request.
    mutating func answered(_ reply: Reply, _ now: UInt64) {
        position = max(position, reply.fields.pos)
        guard let id = reply.fields.id, !subscriptionAnswered(id, .success(reply.fields.pos)),
            let request = requests.answer(id)
        else { return }
        if let waiter = request.waiter { effects.append(.resolve(waiter, .success(reply))) }
    }

    /// The daemon has refused a request, or says that something is wrong.
    mutating func refused(id: UInt64?, sub: UInt64?, _ error: NotifyError, _ now: UInt64) {
        if id == Self.helloID {
            noteFarewell(error, isBye: false)
            return lost(error, now)
        }
        if let id {
            if !subscriptionAnswered(id, .failure(error)), let request = requests.answer(id) { fail(request, error) }
        } else if let sub {
            end(sub, error)
        } else {
            if !isOpen { noteFarewell(error, isBye: false) }
            effects.append(.unheard(error))
        }
    }
}
