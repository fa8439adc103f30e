// Drives the broker as the daemon's hub does, with memory in place of sockets and a manual clock in place of the kernel's:
// bytes come in and go through the real parser, what the broker says goes out as bytes. Everything but `nextDeadline` and
// `inbox` is only touched by jobs of the daemon's work list.

import Notify
import NotifyBroker
import NotifyLock
import NotifyWire

final class Engine: @unchecked Sendable {
    let clock: ManualClock
    let inbox = Inbox()
    /// Behind pointers, for calls that refer to each other's slices.
    let broker: UnsafeMutablePointer<Broker>
    let parser: UnsafeMutablePointer<RequestParser>
    var sessions: [Int32: Session] = [:]
    /// The connection of each peer, by its slot.
    var connections: [Int: Int32] = [:]
    private var lastConnection: Int32 = 0
    /// All that have ever tried to connect and are still there.
    var ports: [LocalPort] = []
    /// Until when nobody can reach the daemon, as nanoseconds.
    var awayUntil: UInt64 = 0
    /// Connections whose peers may have come to their end, and whose requests may go on.
    var ending: [Int32] = []
    var resuming: [Int32] = []

    /// How often the daemon has been started.
    private var lives = 1
    var isServing = true
    /// It is there and does nothing.
    var isSilent = false
    /// What the next request of a kind is refused with.
    var refusals: [Op: Refusal] = [:]
    private let deadline = Locked<UInt64?>(nil)

    init(clock: ManualClock) {
        self.clock = clock
        broker = .allocate(capacity: 1)
        parser = .allocate(capacity: 1)
        parser.initialize(to: RequestParser())
        initializeBroker()
    }

    deinit {
        broker.deinitialize(count: 1)
        broker.deallocate()
        parser.deinitialize(count: 1)
        parser.deallocate()
    }

    private func initializeBroker() {
        let number = String(lives, radix: 16)
        let epoch = String(repeating: "0", count: 16 - number.count) + number
        broker.initialize(to: Broker(limits: Limits(), epoch: epoch, hashKey: 1, now: now))
        broker.pointee.identity = (1, 0)
    }

    /// Another life of the daemon, which knows nothing of the one before.
    func beginAnew() {
        broker.deinitialize(count: 1)
        lives += 1
        initializeBroker()
        inbox.forgetAll()
        (isServing, isSilent) = (true, false)
        tellDeadline()
    }

    var now: Moment { Moment(wall: clock.wallNanoseconds, monotonic: clock.nanoseconds) }

    // MARK: Coming and going

    /// Somebody tries to connect.
    func note(_ port: LocalPort) {
        if !ports.contains(where: { $0 === port }) { ports.append(port) }
    }

    func connect(_ port: LocalPort, of client: Client) throws(NotifyError) -> Int32 {
        guard isServing else {
            throw NotifyError(.notConnected, "no daemon in memory: the test has stopped it")
        }
        lastConnection += 1
        let session = Session(connection: lastConnection, port: port, client: client)
        sessions[lastConnection] = session
        if !isSilent { wakeUp { welcome(session) } }
        return session.connection
    }

    func welcome(_ session: Session) {
        switch broker.pointee.connect(pid: session.client.pid, uid: session.client.uid, gid: session.client.uid) {
        case .success(let peer):
            session.peer = peer
            connections[peer.pointee.slot] = session.connection
        case .failure(let refusal):
            var line = ByteLog(capacity: 256)
            ControlLine.appendError(to: &line, id: .empty, refusal)
            ControlLine.appendBye(to: &line, reason: refusal.code.rawValue)
            sessions[session.connection] = nil
            session.port.receive([UInt8](line.slice), on: session.connection)
            session.port.hangUp(session.connection)
        }
    }

    /// The center has closed its end. What it sent before that is still done.
    func leave(_ connection: Int32) {
        guard let session = sessions[connection] else { return }
        session.hasLeft = true
        guard !isSilent else { return }
        wakeUp {
            if session.isPaused, let peer = session.peer {
                broker.pointee.deafen(peer)
                session.isPaused = false
                consume(session)
            }
            forget(session)
        }
    }

    /// The connection is over, and the center hears of it.
    func close(_ session: Session) {
        forget(session)
        session.port.hangUp(session.connection)
    }

    private func forget(_ session: Session) {
        guard sessions.removeValue(forKey: session.connection) != nil, let peer = session.peer else { return }
        connections[peer.pointee.slot] = nil
        broker.pointee.disconnect(peer)
    }

    // MARK: Waking up

    /// Something happens, and all that follows from it now.
    func wakeUp(_ body: () -> Void) {
        broker.pointee.beginWakeUp(at: now)
        body()
        finishWakeUp()
        while isServing, !isSilent, let next = broker.pointee.nextDeadline, next <= clock.nanoseconds {
            broker.pointee.beginWakeUp(at: now)
            writeAll()
            broker.pointee.tick()
            finishWakeUp()
        }
        tellDeadline()
    }

    private func finishWakeUp() {
        repeat {
            repeat {
                writeAll()
                resumePaused()
            } while broker.pointee.hasOutput || !resuming.isEmpty
            finishEnding()
        } while broker.pointee.hasOutput
        _ = broker.pointee.takeSlow()
    }

    private func finishEnding() {
        for connection in ending {
            guard let session = sessions[connection], let peer = session.peer else { continue }
            if peer.pointee.isEnding, !peer.pointee.isBlocked { close(session) }
        }
        ending = []
        broker.pointee.endWakeUp()
    }

    // MARK: Time

    /// Time has passed.
    func tick() {
        guard isServing, !isSilent else { return }
        wakeUp {}
    }

    /// When something is to happen next, as nanoseconds. On any thread.
    var nextDeadline: UInt64? { deadline.withLock { $0 } }

    func tellDeadline() {
        let next = isServing && !isSilent ? broker.pointee.nextDeadline : nil
        deadline.withLock { $0 = next }
    }
}
