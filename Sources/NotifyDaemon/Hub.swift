// Joins the rooms: bytes from the transport go to the wire, requests to the broker, and what the broker has said goes
// back to the transport. It decides nothing that another room could decide.

import CNotify
import Glibc
import NotifyBroker
import NotifySystemd
import NotifyTransport
import NotifyWire

final class Hub: EventHandler {
    let loop: EventLoop
    let log: Log
    var configuration: Configuration
    let firstConfiguration: Configuration
    /// Behind pointers: a class property would be checked for exclusive access with every line.
    let broker: UnsafeMutablePointer<Broker>
    let parser: UnsafeMutablePointer<RequestParser>
    let readBuffer = ReadBuffer()
    let vectors = UnsafeMutablePointer<iovec>.allocate(capacity: 1024)

    // The hub belongs to the loop's queue: no access needs to be checked for exclusiveness.
    @exclusivity(unchecked) var id = HandlerID.unset
    @exclusivity(unchecked) private(set) var sessions: UnsafeMutablePointer<Session>
    @exclusivity(unchecked) private var capacity = 64
    /// Places that were ever taken: memory behind them is not touched.
    @exclusivity(unchecked) private var used = 0
    @exclusivity(unchecked) var openSessions = 0
    /// Listeners at which somebody waits. They come in when all events of the wake-up have been told: a newcomer could
    /// get the slot of a connection that ended in it, and then an event meant for that one.
    @exclusivity(unchecked) private var knocking: [Int] = []
    /// Slots whose peers may have come to their end in this wake-up.
    @exclusivity(unchecked) var ending: [Int] = []
    /// Slots whose requests may go on.
    @exclusivity(unchecked) var resuming: [Int] = []
    /// Slots whose requests go on when others have had their turn.
    @exclusivity(unchecked) var turns = Turns()

    @exclusivity(unchecked) var listeners: [Listener]
    /// Given up for a moment when all descriptors are in use: so a connection can be refused instead of waiting, and the
    /// configuration can be read again.
    @exclusivity(unchecked) var reserve = ReserveDescriptors()
    @exclusivity(unchecked) var service: ServiceState
    /// Of the persistent channels; nil: there are none.
    @exclusivity(unchecked) var keeper: StoreKeeper?
    @exclusivity(unchecked) var hasFailedToStore = false
    let signalDescriptor: Int32
    let loadConfiguration: () throws(ConfigurationError) -> Configuration
    /// Called once, when nothing is left to be done.
    var finish: () -> Void = {}

    static let signalToken = UInt32.max
    static let firstListenerToken = UInt32.max - 1024

    init(loop: EventLoop, parts: Daemon.Parts, service: ServiceState) {
        self.loop = loop
        self.configuration = parts.configuration
        self.firstConfiguration = parts.configuration
        self.loadConfiguration = parts.loadConfiguration
        self.listeners = parts.listeners
        self.signalDescriptor = parts.signals
        self.service = service
        self.log = parts.log
        let freshEpoch = Self.randomEpoch()
        let stored = Self.openStore(configuration, freshEpoch: freshEpoch, log)
        keeper = stored?.keeper
        broker = .allocate(capacity: 1)
        broker.initialize(
            to: Broker(
                limits: configuration.limits, channelRules: configuration.channelRules,
                access: configuration.access(), epoch: stored?.state.epoch ?? freshEpoch,
                hashKey: UInt64.random(in: .min ... .max), now: Self.now()))
        broker.pointee.identity = (getpid(), getuid())
        broker.pointee.setQuotas(configuration.quotas)
        if let state = stored?.state { broker.pointee.restore(state, identity: NameService.identity) }
        parser = .allocate(capacity: 1)
        parser.initialize(to: RequestParser())
        sessions = .allocate(capacity: capacity)
    }

    deinit {
        broker.deinitialize(count: 1)
        broker.deallocate()
        parser.deinitialize(count: 1)
        parser.deallocate()
        sessions.deallocate()
        vectors.deallocate()
        reserve.giveUpAll()
    }

    static func randomEpoch() -> String {
        let text = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }

    static func now() -> Moment {
        Moment(wall: SystemCalls.wallNanoseconds(), monotonic: SystemCalls.monotonicNanoseconds())
    }

    /// On the loop's queue: watches what there is to watch and says that posts are served.
    func start() {
        id = loop.addHandler(self)
        if let error = loop.add(signalDescriptor, .input, token: Self.signalToken, for: id) {
            log.error("cannot watch for signals: \(error)")
        }
        startStore()
        listen()
        becomeReady()
    }

    // MARK: EventHandler

    func ready(_ readiness: Readiness, token: UInt32) {
        beginWakeUp()
        if token == Self.signalToken { return handleSignals() }
        if token >= Self.firstListenerToken { return knocking.append(Int(token - Self.firstListenerToken)) }
        shares.note()
        let slot = Int(token)
        guard slot < used, sessions[slot].isOpen, let peer = sessions[slot].peer else { return }
        if readiness.contains(.output) { write(to: peer, slot) }
        guard sessions[slot].isOpen else { return }
        if !readiness.isDisjoint(with: .readable), isInItsShare(peer) { read(slot, readiness) }
    }

    /// Whether the peer's user may have more of this wake-up. At the end everything is read that has been sent.
    func isInItsShare(_ peer: PeerRef) -> Bool {
        service.isStopping || shares.admits(peer.pointee.uid) { SystemCalls.monotonicNanoseconds() }
    }

    @exclusivity(unchecked) private var isAwake = false
    /// The batch just read is read again when what was said before has been written.
    @exclusivity(unchecked) var batchWaits = false
    /// What searches have cost in this wake-up, in the broker's measure of work.
    @exclusivity(unchecked) var searched = 0
    @exclusivity(unchecked) var shares = WakeUpShares()

    /// One reading of the clocks serves all events of a wake-up.
    func beginWakeUp() {
        guard !isAwake else { return }
        isAwake = true
        let now = Self.now()
        if shares.begin(at: now.monotonic, sessions: openSessions) { searched = 0 }
        broker.pointee.beginWakeUp(at: now)
    }

    func wakeUpEnded() {
        beginWakeUp()
        if !knocking.isEmpty {
            for index in knocking { accept(from: index) }
            knocking.removeAll(keepingCapacity: true)
        }
        takeTurns()
        repeat {
            repeat {
                writeAll()
                resumePaused()
            } while broker.pointee.hasOutput || !resuming.isEmpty
            finishEnding()
            // Those who went may have left something to be told.
        } while broker.pointee.hasOutput
        tellOfClients()
        if let next = turns.next, next <= broker.pointee.now.monotonic { loop.goOn(id) }
        isAwake = false
        updateDeadline()
        if service.isStopping, openSessions == 0 { end() }
    }

    private func tellOfClients() {
        let about: Log.About = { [broker] in broker.pointee.about(client: $0) }
        if broker.pointee.hasExcesses { for excess in broker.pointee.takeExcesses() { log.excess(excess, about) } }
        if broker.pointee.hasDenials { for denial in broker.pointee.takeDenials() { log.denied(denial, about) } }
        if broker.pointee.hasRevocations { log.revoked(broker.pointee.takeRevocations(), about) }
        if broker.pointee.hasSlow { for slow in broker.pointee.takeSlow() { log.slow(slow, about) } }
    }

    func deadlineReached(_ now: UInt64) {
        beginWakeUp()
        // Lines of this wake-up may name channels that are about to be forgotten.
        writeAll()
        let wasCrowded = broker.pointee.isCrowded
        broker.pointee.tick()
        // A flood of channels is over: the kernel gets the pages back that it left full of holes.
        if wasCrowded, !broker.pointee.isCrowded { cnotify_trim_memory() }
        keepHouse(now)
    }

    // MARK: Sessions

    func add(_ descriptor: Int32, _ peer: PeerRef) {
        let slot = peer.pointee.slot
        if slot >= capacity { growSessions(toHold: slot) }
        if let error = loop.add(descriptor, .input, token: UInt32(slot), for: id) {
            log.error("cannot watch a connection: \(error)")
            broker.pointee.disconnect(peer)
            SystemCalls.close(descriptor)
            return
        }
        while used <= slot {
            (sessions + used).initialize(to: Session())
            used += 1
        }
        sessions[slot] = Session(descriptor: descriptor, peer: peer, interest: .input)
        openSessions += 1
    }

    private func growSessions(toHold slot: Int) {
        let larger = max(capacity * 2, slot + 1)
        let moved = UnsafeMutablePointer<Session>.allocate(capacity: larger)
        moved.moveInitialize(from: sessions, count: used)
        sessions.deallocate()
        sessions = moved
        capacity = larger
    }

    /// The connection is over; its place is free again when the wake-up has ended.
    func close(_ slot: Int) {
        guard sessions[slot].isOpen, let peer = sessions[slot].peer else { return }
        log.debug("client left", for: peer)
        broker.pointee.disconnect(peer)
        sessions[slot].input.release()
        loop.remove(sessions[slot].descriptor)
        SystemCalls.close(sessions[slot].descriptor)
        sessions[slot] = Session()
        openSessions -= 1
    }

    var slots: Range<Int> { 0..<used }

    func watch(_ slot: Int, _ interest: Readiness) {
        guard sessions[slot].isOpen, sessions[slot].interest != interest else { return }
        sessions[slot].interest = interest
        if let error = loop.modify(sessions[slot].descriptor, interest, token: UInt32(slot), for: id) {
            log.error("cannot watch a connection: \(error)")
            close(slot)
        }
    }
}
