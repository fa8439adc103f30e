// `trace`: what becomes of each post while we look: who gets it, who does not, and why. It is a subscription like any
// other, to a channel of the daemon's own.

import FoundationEssentials
import Notify

/// Shows what becomes of posts.
struct Trace: Command {
    static let name = "trace"
    static let operands = "CHANNEL|PATTERN"
    static let summary =
        "Shows what becomes of each post on matching channels: who gets it, who does not, and why."
    static let notes = """
        sent: written to a client that has read all so far; queued: it waits for the client to read; held: until its
        --min-interval is over; dropped: no room; filtered: it asked for others; not_chosen: another of its group has it;
        denied: the access rules. What is lost later has a line of its own, and so have posts that are refused, or that a
        newer one replaces. Needs the right observe. Posting is a little slower while somebody traces.
        """
    static let options: [Option] = [.count, .timeout, .onlyType, .onlySubject, .fromUID, .json, .noReconnect]
    static let endsWithItsReader = true

    private static let prefix = "$notifyd.trace."

    static func meaning(ofOperand index: Int) -> Meaning { index == 0 ? .pattern : .text }

    var pattern: NotifyCenter.Pattern
    var subscription = NotifyCenter.SubscriptionOptions()
    var count: Int?
    var timeout: Duration?
    var isJSON: Bool
    var reconnects: Bool

    init(_ arguments: Arguments) throws(Failure) {
        let traced = try Names.pattern(try arguments.operands(1...1, "PATTERN")[0])
        guard let pattern = NotifyCenter.Pattern(rawValue: Self.prefix + traced.rawValue) else {
            throw .usage("'\(traced.rawValue)' is too long to be traced; a shorter pattern with * or > may do")
        }
        self.pattern = pattern
        count = try arguments.number(.count, in: 1...Int.max)
        timeout = try arguments.duration(.timeout)
        isJSON = arguments.has(.json)
        reconnects = !arguments.has(.noReconnect)
        subscription.type = try Names.type(arguments)
        subscription.subject = try Names.subject(arguments)
        subscription.fromUID = try arguments.user(.fromUID)
    }

    func run(_ session: Session) async throws(Failure) -> ExitCode {
        if let timeout { session.watch.set("timeout", after: timeout) { leave(.timedOut) } }
        try await session.awaitDaemon()
        let center = session.makeCenter(reconnects: reconnects)
        let events = center.rawEvents(matching: [pattern], options: subscription)
        try await session.ready(center)
        let text = TraceText(style: session.style, clock: WallClock())
        var output = session.makeOutput()
        var left = count ?? Int.max
        var iterator = events.makeAsyncIterator()
        while left > 0, let event = try await next(&iterator) {
            switch event {
            case .message(let message):
                if isJSON {
                    output.add(exact: message.payloadLine + "\n")
                } else {
                    output.add(line: text.lines(of: message))
                }
                left -= 1
            case .gap(let gap): Diagnostics.say("trace: \(gap.sentence)")
            case .disconnected(let error):
                try output.flush()
                if !reconnects { throw Failure(error) }
                Diagnostics.say(
                    "trace: the daemon went away (\(Printable.text(error.message))); waiting for it to come back")
            case .reconnected: Diagnostics.say("trace: the daemon is back")
            case .live: break
            }
            if !iterator.isNextReady || output.pendingBytes > 1 << 16 { try output.flush() }
        }
        try output.flush()
        if left > 0 { throw Failure(.unavailable, "the daemon went away") }
        session.watch.cancel("timeout")
        await session.close(center)
        return .done
    }

    private func next(
        _ iterator: inout NotifyCenter.RawEvents.AsyncIterator
    ) async throws(Failure) -> NotifyCenter.RawEvent? {
        do {
            return try await iterator.next()
        } catch {
            throw Failure(error)
        }
    }
}

extension NotifyCenter.RawMessage {
    /// The payload, on one line as it came.
    fileprivate var payloadLine: String { String(decoding: payload, as: UTF8.self) }
}
