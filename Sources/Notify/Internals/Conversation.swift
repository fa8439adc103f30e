// The state machine of one center: whether it has a connection, what it has asked, who listens. Pure: it knows no
// sockets, no clock and no tasks. Time and chance come in as arguments, bytes go out through `outbox`, and everything
// else that has to be done goes out as effects. All changes of phase go through `enter`.

import NotifyWire

struct Conversation<Waiter: Sendable, Consumer: Sendable>: Sendable {
    typealias Table = SubscriptionTable<Consumer>
    typealias Requests = RequestTable<Waiter>

    enum Phase: Sendable {
        /// Nothing was asked for: no connection is wanted.
        case idle
        /// The endpoint is being tried, again at `retryAt` if it was busy, at most until `deadline`.
        case connecting(deadline: UInt64, retryAt: UInt64?)
        /// Connected, hello is sent.
        case greeting(deadline: UInt64)
        case open
        /// Not connected; the next try is at `until`.
        case pausing(until: UInt64, NotifyError)
        /// Over. Nothing follows.
        case closed(NotifyError?)
    }

    enum Effect: Sendable {
        /// Try the endpoint.
        case connect
        /// Let go of the socket.
        case disconnect
        case resolve(Waiter, Result<Reply, NotifyError>)
        /// A request that nobody waits for was refused or lost.
        case unheard(NotifyError)
        case state(NotifyCenter.ConnectionState)
        case mark(Consumer, FeedBuffer<MessageRun>.Mark)
        case end(Consumer, NotifyError?)
    }

    struct Settings: Sendable {
        var name: String?
        var connectTimeout: UInt64
        var requestTimeout: UInt64?
        var reconnects: Bool
    }

    /// The id of hello; all other requests count from 1.
    static var helloID: UInt64 { 0 }

    /// Requests that are not answered yet hold at most this many bytes before a poster has to wait.
    static var pendingByteLimit: Int { 4 << 20 }

    let settings: Settings
    private(set) var phase = Phase.idle
    /// What is asked with every message, told by `enter`: to look into the phase costs more, errors are large.
    private(set) var isOpen = false
    private(set) var isClosed = false
    var outbox = Outbox()
    var requests = Requests()
    var silent = SilentPosts()
    var held = HeldPosts()
    var table = Table()
    /// What the daemon was asked to post when the connection is lost, and has accepted: the line, and the id in it.
    var will: (id: UInt64, line: [UInt8])?
    var effects: [Effect] = []
    /// Subscriptions that were asked for and not answered, by the id of the request.
    var subscribing: [UInt64: UInt64] = [:]
    var refusedSubscriptions = RefusedSubscriptions()

    /// The last answer to hello.
    private(set) var server: NotifyCenter.ServerInfo?
    /// Bytes of a line that the daemon takes at most.
    private(set) var lineLimit = Int.max
    /// How long after it was sent a post may be sent again: well within the time that the daemon remembers its key.
    private(set) var repeatWindow: UInt64 = 0
    /// The highest position seen in this epoch.
    var position: UInt64 = 0
    /// The life of the daemon's numbering.
    private(set) var epoch = ""
    /// The daemon's numbers for this center's connections, within one process of it, and the position of their hello.
    private(set) var ownClients: [UInt64: UInt64] = [:]
    /// Until when the first daemon is tried again if it goes before it has answered anything, and whether one has.
    var meetBy: UInt64?
    var hasServed = false
    /// Tries in a row that failed.
    private var failures = 0
    /// When a shutdown gives up waiting for answers; nil: nobody asked for a shutdown.
    var drainUntil: UInt64?
    /// What the daemon said on its own account before it hung up.
    private var farewell: NotifyError?
    private var saidBye = false
    /// Why consumers have been told that the connection is gone; nil while they have not.
    var interruption: NotifyError?
    /// For the gap after a reconnect: whether positions count anew, and the last one known before.
    private(set) var epochChanged = false
    private(set) var positionBefore: UInt64?
    let ids: @Sendable () -> UInt64
    let random: @Sendable () -> Double

    /// - Parameters:
    ///   - ids: the next request id, from 1.
    ///   - random: at least 0, less than 1.
    init(settings: Settings, ids: @escaping @Sendable () -> UInt64, random: @escaping @Sendable () -> Double) {
        self.settings = settings
        self.ids = ids
        self.random = random
    }

    /// Whether new requests are refused: then `closedError` says why.
    var isEnding: Bool { isClosed || drainUntil != nil }

    var closedError: NotifyError? {
        guard isEnding else { return nil }
        if case .closed(let error) = phase {
            return error ?? NotifyError(.closed, "the center was shut down")
        }
        return NotifyError(.closed, "the center is being shut down")
    }

    /// Whether somebody waits for what the daemon has to say.
    var isAwaitingLines: Bool { !isOpen || requests.sentCount > 0 || silent.isPinging || !subscribing.isEmpty }

    private var pendingBytes: Int { requests.pendingBytes + silent.pendingBytes + held.bytes }

    var hasRoom: Bool { pendingBytes < Self.pendingByteLimit }

    /// Whether there is room for many: who waits for room is not woken for every answer.
    var hasMuchRoom: Bool { pendingBytes < Self.pendingByteLimit / 2 }

    // MARK: Phases

    mutating func enter(_ next: Phase) {
        phase = next
        (isOpen, isClosed) = (false, false)
        switch next {
        case .open: isOpen = true
        case .closed: isClosed = true
        default: break
        }
    }

    /// Something needs a connection.
    mutating func want(_ now: UInt64) {
        if isOpen { return }
        switch phase {
        case .idle: connect(now)
        case .pausing where server == nil && meetBy == nil: connect(now)
        default: break
        }
    }

    mutating func connect(_ now: UInt64) {
        if case .idle = phase { effects.append(.state(.connecting)) }
        let deadline = meetBy ?? now &+ settings.connectTimeout
        if !hasServed { meetBy = deadline }
        enter(.connecting(deadline: deadline, retryAt: nil))
        effects.append(.connect)
    }

    /// The daemon can be expected to be there: no need to wait any longer.
    mutating func retry(_ now: UInt64) {
        guard case .pausing = phase else { return }
        if isUnwanted { rest() } else { connect(now) }
    }

    /// The socket is connected.
    mutating func connected(_ now: UInt64) {
        guard case .connecting(let deadline, _) = phase else { return }
        farewell = nil
        saidBye = false
        outbox = Outbox()
        outbox.append(ClientLine.hello(id: Self.helloID, name: settings.name))
        enter(.greeting(deadline: deadline))
    }

    /// The daemon is there, but its backlog is full.
    mutating func busy(_ now: UInt64, _ error: NotifyError) {
        guard case .connecting(let deadline, _) = phase else { return }
        guard now < deadline else { return lost(error, now) }
        let pause = Backoff.busy / 2 + UInt64(random() * Double(Backoff.busy))
        enter(.connecting(deadline: deadline, retryAt: min(deadline, now &+ pause)))
    }

    /// The daemon has answered hello.
    mutating func greeted(_ info: NotifyCenter.ServerInfo, _ now: UInt64) {
        guard case .greeting = phase else { return }
        let isSameEpoch = server?.epoch == info.epoch
        let hasRestarted = server.map { $0.started != info.started } ?? false
        epochChanged = server != nil && !isSameEpoch
        positionBefore = isSameEpoch ? position : nil
        if !isSameEpoch { position = 0 }
        if !isSameEpoch || hasRestarted { ownClients = [:] }
        epoch = info.epoch
        ownClients[info.client] = min(ownClients[info.client] ?? .max, info.position)
        position = max(position, info.position)
        server = info
        failures = 0
        enter(.open)
        lineLimit = info.limits.lineBytes ?? .max
        // Whatever number stands there: who answers may be no notifyd.
        repeatWindow = UInt64(min(max(0, info.limits.deduplicationSeconds ?? 120), 1 << 32)) * 500_000_000
        effects.append(.state(.connected(info)))
        // The keys of posts to channels that are not persistent die with the daemon's process.
        if epochChanged || hasRestarted {
            let error = NotifyError(.notConnected, "the daemon has begun anew", socketPath: info.socketPath)
            for request in requests.removeInDoubt() { fail(request, Self.uncertain(error)) }
        }
        remakeWill()
        resubscribe(isSameEpoch: isSameEpoch)
        sendWaiting(now)
    }

    private mutating func sendWaiting(_ now: UInt64) {
        while let request = requests.popWaiting() { send(request, now) }
    }

    /// The connection is gone, or could not be made.
    mutating func lost(_ error: NotifyError, _ now: UInt64) {
        var error = error
        switch phase {
        case .connecting: break
        case .greeting, .open: error = farewell ?? error
        default: return
        }
        effects.append(.disconnect)
        let uncertain = requests.disconnect(
            flushed: outbox.flushed, now, connectBy: now &+ settings.connectTimeout, silent: unconfirmed(),
            isComplete: saidBye)
        outbox = Outbox()
        for request in uncertain { fail(request, Self.uncertain(error)) }
        if drainUntil != nil { return close(nil) }
        let isMeeting = meetsAgain(error, now)
        if !isMeeting {
            meetBy = nil
            guard settings.reconnects else { return close(error) }
            if server == nil {
                for request in requests.removeWaiting() { fail(request, error) }
            }
        }
        forgetSubscribing()
        if settings.reconnects {
            interrupt(error)
            effects.append(.state(.disconnected(error)))
        }
        failures += 1
        if isUnwanted { return rest() }
        let delay =
            saidBye ? Backoff.delayAfterBye(random: random()) : Backoff.delay(failures: failures, random: random())
        enter(.pausing(until: min(now &+ delay, meetBy ?? .max), error))
    }

    static func uncertain(_ error: NotifyError) -> NotifyError {
        NotifyError(
            .notConnected,
            "the connection was lost before the daemon answered: the message may or may not have been accepted"
                + " (\(error.message))",
            cause: error, socketPath: error.socketPath)
    }

    /// What the daemon says without having been asked, before it hangs up.
    mutating func noteFarewell(_ error: NotifyError, isBye: Bool) {
        // A daemon that turns us away at the door says why first, and then goodbye.
        if !isBye || isOpen || farewell == nil { farewell = error }
        saidBye = saidBye || isBye
    }

    /// Whether nobody listens, nothing waits to be sent, and there is no will to be left with the daemon.
    var isUnwanted: Bool { table.isEmpty && !requests.hasWaiting && will == nil }

    /// Waits for the next wish instead of the daemon.
    mutating func rest() {
        (interruption, meetBy) = (nil, nil)
        enter(.idle)
    }

    /// Why there is no connection, if that is known.
    var absence: NotifyError? {
        if case .pausing(_, let error) = phase { return error }
        return nil
    }

    mutating func fail(_ request: Requests.Request, _ error: NotifyError) {
        if let waiter = request.waiter {
            effects.append(.resolve(waiter, .failure(error)))
        } else if request.isSilent || request.id != Self.helloID {
            effects.append(.unheard(error))
        }
    }
}
