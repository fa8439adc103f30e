// Joins the state machine to the world: one lock around `Conversation`, and everything it wants done is done after the
// lock, except what must keep its order: bytes to the socket and marks to the feeds.
//
// Whoever holds the link keeps the connection: the center, sequences, iterators, observers. The event loop does not.

import Glibc
import NotifyLock
import NotifyTransport
import Synchronization

final class Link: Sendable {
    typealias Machine = Conversation<Answer, Feed>

    struct State: Sendable {
        var machine: Machine
        var socket: Int32 = -1
        var path: String?
        /// The kernel takes no more bytes for now.
        var isBlocked = false
        /// When the last pipelined request came, and when what is gathered will be sent.
        var pipelinedAt: UInt64 = 0
        var flushAt: UInt64?
        /// When the loop will call `tick`.
        var armed: UInt64?
        var present = NotifyCenter.ConnectionState.idle
        var watchers: [UInt64: AsyncStream<NotifyCenter.ConnectionState>.Continuation] = [:]
        /// Feeds that are full and may lose nothing: while there are some, nothing is read.
        var full: Set<UInt64> = []
        var readsInput = true
        var waitingForRoom: [Answer] = []
        var waitingForEnd: [Answer] = []
        var refused: UInt64 = 0
        var disconnects: UInt64 = 0
    }

    /// What is to be done after the lock.
    struct Followup {
        var answers: [(Answer, Result<Reply, NotifyError>)] = []
        var feeds: [Feed] = []
        var diagnostics: [NotifyCenter.Diagnostic] = []
        var finished: [AsyncStream<NotifyCenter.ConnectionState>.Continuation] = []
        var drops = false
        var connects = false
        var watchesOutput = false
        var watchesInput: Bool?
        var deadline: UInt64?
    }

    let endpoint: NotifyCenter.Endpoint
    let configuration: NotifyCenter.Configuration
    let counters = Counters(sum: nil)
    let state: Locked<State>
    private let ids = RequestIDs()
    let keys = PostKeys()
    /// In place of the kernel, in tests.
    let local: (any LocalDaemon)?
    private let port = Locked<(any Port)?>(nil)

    init(
        endpoint: NotifyCenter.Endpoint, configuration: NotifyCenter.Configuration, local: (any LocalDaemon)? = nil
    ) {
        self.endpoint = endpoint
        self.configuration = configuration
        self.local = local
        let settings = Machine.Settings(
            name: configuration.name, connectTimeout: configuration.connectTimeout.nanoseconds,
            requestTimeout: configuration.requestTimeout?.nanoseconds, reconnects: configuration.reconnects)
        let ids = ids
        // Tests have no use for jitter.
        let isExact = local != nil
        let machine = Machine(
            settings: settings, ids: { ids.next() }, random: { isExact ? 0.5 : Double.random(in: 0..<1) })
        state = Locked(State(machine: machine))
    }

    deinit {
        let watchers = state.withLock { $0.watchers.values }
        for watcher in watchers { watcher.finish() }
        if let port = port.withLock({ $0 }) { port.execute { port.retire() } }
    }

    func nextID() -> UInt64 {
        ids.next()
    }

    /// The time of the monotonic clock, in nanoseconds.
    var now: UInt64 { local?.now ?? SystemCalls.monotonicNanoseconds() }

    var activity: Activity? { local?.world.activity }

    /// Pipelined requests that follow each other within `closeTogether` nanoseconds are gathered for `gathering`, or
    /// until so many bytes wait; one that comes alone goes at once. A call of the kernel costs as much as some messages.
    private static let closeTogether: UInt64 = 20_000
    private static let gathering: UInt64 = 100_000
    private static let gatheredBytes = 64 << 10

    // MARK: One step of the machine

    /// Changes the state and does what follows from it.
    func step<Result, Failure: Error>(
        onLoop: Bool = false, gathers: Bool = false,
        _ body: (inout State, UInt64) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var followup = Followup()
        defer { perform(followup, onLoop: onLoop) }
        return try state.withLock { state throws(Failure) -> Result in
            let now = now
            defer {
                let isBurst = gathers && local == nil && now - state.pipelinedAt < Self.closeTogether
                if gathers { state.pipelinedAt = now }
                if isBurst, state.machine.outbox.count < Self.gatheredBytes {
                    state.flushAt = state.flushAt ?? now + Self.gathering
                } else {
                    flush(&state, &followup)
                }
                drain(&state, &followup)
                settle(&state, &followup)
            }
            return try body(&state, now)
        }
    }

    /// Moves the machine's effects to where they belong; marks at once, so that they stand where they happened.
    func drain(_ state: inout State, _ followup: inout Followup) {
        guard !state.machine.effects.isEmpty else { return }
        let effects = state.machine.effects
        state.machine.effects = []
        for effect in effects {
            switch effect {
            case .connect: followup.connects = true
            case .disconnect:
                followup.drops = true
                state.socket = -1
                state.isBlocked = false
            case .resolve(let answer, let result): followup.answers.append((answer, result))
            case .unheard(let error):
                state.refused += 1
                followup.diagnostics.append(.refused(error))
            case .state(let next): publish(next, &state, &followup)
            case .mark(let feed, let mark):
                feed.append(mark)
                followup.feeds.append(feed)
            case .end(let feed, let error):
                feed.end(error)
                state.full.remove(feed.id)
                followup.feeds.append(feed)
            }
        }
    }

    private func publish(_ next: NotifyCenter.ConnectionState, _ state: inout State, _ followup: inout Followup) {
        state.present = next
        for watcher in state.watchers.values { watcher.yield(next) }
        switch next {
        case .disconnected(let error):
            state.disconnects += 1
            followup.diagnostics.append(.disconnected(error))
        case .closed:
            followup.finished = Array(state.watchers.values)
            state.watchers = [:]
        default: break
        }
    }

    /// Sends what the kernel takes.
    func flush(_ state: inout State, _ followup: inout Followup) {
        state.flushAt = nil
        guard state.socket >= 0, !state.isBlocked, !state.machine.outbox.isEmpty else { return }
        let socket = state.socket
        var goesOn = true
        var isBlocked = false
        while goesOn, !state.machine.outbox.isEmpty {
            state.machine.outbox.flush { bytes in
                guard let start = bytes.baseAddress else { return 0 }
                if let local {
                    local.send(bytes, on: socket)
                    return bytes.count
                }
                let result = SystemCalls.send(socket, bytes: start, bytes.count)
                if result >= 0 { return result }
                // Any other error means that the connection is gone: the loop hears of it by itself.
                goesOn = false
                isBlocked = [EAGAIN, ENOBUFS, ENOMEM].contains(Int32(-result))
                return 0
            }
        }
        if isBlocked {
            state.isBlocked = true
            followup.watchesOutput = true
        }
    }

    private func settle(_ state: inout State, _ followup: inout Followup) {
        if !state.waitingForRoom.isEmpty, state.machine.hasMuchRoom || state.machine.closedError != nil {
            followup.answers += state.waitingForRoom.map { ($0, .success(Reply())) }
            state.waitingForRoom = []
        }
        if !state.waitingForEnd.isEmpty, case .closed = state.machine.phase {
            followup.answers += state.waitingForEnd.map { ($0, .success(Reply())) }
            state.waitingForEnd = []
        }
        // Who waits for an answer is not kept waiting by who is slow: the slow one's messages pile up meanwhile.
        let readsInput = state.full.isEmpty || state.machine.isAwaitingLines
        if readsInput != state.readsInput {
            state.readsInput = readsInput
            followup.watchesInput = readsInput
        }
        let next = min(state.machine.nextDeadline ?? .max, state.flushAt ?? .max)
        if next < state.armed ?? .max {
            state.armed = next
            followup.deadline = next
        }
    }

    // MARK: After the lock

    private func perform(_ followup: Followup, onLoop: Bool) {
        let needsLoop =
            followup.drops || followup.connects || followup.watchesOutput || followup.watchesInput != nil
            || followup.deadline != nil
        if needsLoop { performOnLoop(followup, isThere: onLoop) }
        for (answer, result) in followup.answers { answer.resolve(result) }
        for feed in followup.feeds { feed.wake() }
        for watcher in followup.finished { watcher.finish() }
        for diagnostic in followup.diagnostics { report(diagnostic) }
        if let local { local.run() }
    }

    func report(_ diagnostic: NotifyCenter.Diagnostic) {
        configuration.onDiagnostic?(diagnostic)
    }

    /// Nobody waits for what was refused.
    func refuse(_ error: NotifyError) {
        state.withLock { $0.refused += 1 }
        report(.refused(error))
    }

    private func performOnLoop(_ followup: Followup, isThere: Bool) {
        guard let port = openPort() else {
            if followup.connects {
                let error = NotifyError(.notConnected, "no descriptors left for the event loop")
                step { state, now in state.machine.lost(error, now) }
            }
            return
        }
        let (endpoint, drops, connects) = (endpoint, followup.drops, followup.connects)
        let (watchesOutput, watchesInput, deadline) = (
            followup.watchesOutput, followup.watchesInput, followup.deadline
        )
        // Once a daemon has answered, the center stays with it: another one knows nothing of what was said.
        let chosen = connects ? server?.socketPath : nil
        let body = { @Sendable in
            if drops { port.drop() }
            if watchesOutput { port.watchOutput(true) }
            if let watchesInput { port.watchInput(watchesInput) }
            if let deadline { port.setDeadline(deadline) }
            if connects { port.connect(endpoint, to: chosen) }
        }
        if isThere { body() } else { port.execute(body) }
    }

    /// On the loop: everything is sent.
    func stopWatchingOutput() {
        port.withLock { $0 }?.watchOutput(false)
    }

    private func openPort() -> (any Port)? {
        port.withLock { port in
            if port != nil { return port }
            if let local {
                port = LocalPort(daemon: local, link: self)
            } else if let loop = SharedLoop.loop() {
                port = SocketPort(loop: loop, link: self)
            }
            return port
        }
    }
}

/// Numbers for requests, feeds and watchers. 0 is hello's.
final class RequestIDs: Sendable {
    private let last = Atomic<UInt64>(0)

    func next() -> UInt64 {
        last.wrappingAdd(1, ordering: .relaxed).newValue
    }
}

extension Duration {
    /// At least 0 and at most some centuries.
    var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return min(UInt64(seconds), 1 << 33) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    }
}
