// The broker as a pure machine on a stage: peers with scripted kernels, lines through the real parser, and what each
// peer got. It plays the part of the hub and of nothing else.

import NotifyTestSupport
import NotifyWire
import Testing

@testable import NotifyBroker

final class Stage {
    private let broker: UnsafeMutablePointer<Broker>
    private let parser: UnsafeMutablePointer<RequestParser>
    private(set) var clients: [StageClient] = []
    var now = Moment(wall: 1_000_000_000_000_000_000, monotonic: 1_000_000_000)
    private var isAwake = false
    /// Told of each message that was accepted (on channels that have a history), with its line.
    var onAccept: ((Outbox.Line, String) -> Void)?
    private var lastTold: UInt64 = 0
    /// What a broker that starts upon a store has to be written before it serves.
    private(set) var firstOperations: [StoreOperation] = []

    init(
        chunkBytes: Int = Limits.chunkBytes, pieceBytes: Int = Limits.pieceBytes, channelRules: [ChannelRule] = [],
        access: AccessRules = .open, stored: StoredState? = nil, identities: [UInt32: Identity] = [:],
        wall: Int64? = nil,
        _ change: (inout Limits) -> Void = { _ in }
    ) {
        var limits = Limits()
        change(&limits)
        if let wall { now.wall = wall }
        broker = .allocate(capacity: 1)
        broker.initialize(
            to: Broker(
                limits: limits, channelRules: channelRules, access: access, epoch: "e1", hashKey: 42, now: now,
                chunkBytes: chunkBytes, pieceBytes: pieceBytes))
        broker.pointee.identity = (4711, 99)
        parser = .allocate(capacity: 1)
        parser.initialize(to: RequestParser())
        if let stored {
            broker.pointee.restore(stored) { identities[$0] ?? Identity(uid: $0, gid: $0) }
            firstOperations = broker.pointee.takeOperations()
            broker.pointee.settle(failure: nil)
        }
    }

    deinit {
        broker.deinitialize(count: 1)
        broker.deallocate()
        parser.deinitialize(count: 1)
        parser.deallocate()
    }

    // MARK: Coming and going

    /// A new client, or the refusal that it gets.
    func tryConnect(uid: UInt32 = 1000, pid: Int32 = 100) -> Result<StageClient, Refusal> {
        tryConnect(Identity(uid: uid, gid: uid), pid: pid)
    }

    func tryConnect(_ identity: Identity, pid: Int32 = 100) -> Result<StageClient, Refusal> {
        let result = wakeUp { broker.pointee.connect(pid: pid, identity) }
        return result.map { peer in
            let client = StageClient(peer: peer, stage: self)
            clients.append(client)
            return client
        }
    }

    func connect(_ identity: Identity) -> StageClient {
        switch tryConnect(identity) {
        case .success(let client): client
        case .failure(let refusal): preconditionFailure("refused: \(refusal.message)")
        }
    }

    func connect(uid: UInt32 = 1000, pid: Int32 = 100) -> StageClient {
        switch tryConnect(uid: uid, pid: pid) {
        case .success(let client): client
        case .failure(let refusal): preconditionFailure("refused: \(refusal.message)")
        }
    }

    func connect(_ identity: Identity, pid: Int32 = 100) -> StageClient {
        switch wakeUp({ broker.pointee.connect(pid: pid, identity) }) {
        case .success(let peer):
            let client = StageClient(peer: peer, stage: self)
            clients.append(client)
            return client
        case .failure(let refusal): preconditionFailure("refused: \(refusal.message)")
        }
    }

    func disconnect(_ client: StageClient) {
        clients.removeAll { $0 === client }
        wakeUp { broker.pointee.disconnect(client.peer) }
    }

    // MARK: Wake-ups

    /// Several things that happen within one wake-up: what they say is written at its end.
    @discardableResult
    func wakeUp<R>(_ body: () -> R) -> R {
        guard !isAwake else { return body() }
        isAwake = true
        broker.pointee.beginWakeUp(at: now)
        let result = body()
        writeAll()
        isAwake = false
        while goesOn, clients.contains(where: isWatched) { goOn() }
        return result
    }

    func advance(seconds: UInt64) {
        now.monotonic += seconds * 1_000_000_000
        now.wall += Int64(seconds) * 1_000_000_000
    }

    /// When the broker wants to be called, by the monotonic clock.
    var deadline: UInt64? { broker.pointee.nextDeadline }

    /// The same in seconds from now.
    var secondsToDeadline: Double? {
        broker.pointee.nextDeadline.map { (Double($0) - Double(now.monotonic)) / 1e9 }
    }

    func tick() {
        wakeUp {
            writeAll()
            broker.pointee.tick()
        }
    }

    /// Hands one line to the broker as the hub does.
    func hand(_ line: [UInt8], from client: StageClient) {
        wakeUp {
            let buffer = line + [10] + [UInt8](repeating: 0, count: 32)
            buffer.withUnsafeBufferPointer { bytes in
                guard let start = bytes.baseAddress else { return }
                handle(start, start + line.count, client)
            }
            broker.pointee.endRun()
            if broker.pointee.wantsWrite, !broker.pointee.turnIsOver { writeAll() }
        }
    }

    /// Whether posts that repeat the one before may be handled as one.
    var mayRun = true

    /// Hands the broker a piece of whole lines, as the hub does, until its turn is over. Returns how many it took.
    @discardableResult
    func hand(piece lines: [String], from client: StageClient) -> Int {
        wakeUp {
            var taken = 0
            broker.pointee.beginTurn()
            let buffer = lines.flatMap { Array($0.utf8) + [10] } + [UInt8](repeating: 0, count: 32)
            buffer.withUnsafeBufferPointer { bytes in
                guard var start = bytes.baseAddress else { return }
                for line in lines where !broker.pointee.turnIsOver {
                    handle(start, start + line.utf8.count, client)
                    taken += 1
                    if broker.pointee.wantsWrite, !broker.pointee.turnIsOver { writeAll() }
                    start += line.utf8.count + 1
                }
            }
            broker.pointee.endRun()
            return taken
        }
    }

    private func handle(_ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ client: StageClient) {
        // What begins as the last post did is read by that.
        let isRepeated = parser.pointee.parseRepeatedPost(start, before: end + 1) != nil
        if isRepeated, mayRun, !client.peer.pointee.isMetered {
            return broker.pointee.handleRepeated(parser.pointee.requestRef, from: client.peer)
        }
        broker.pointee.endRun()
        let outcome = isRepeated ? .request : parser.pointee.parse(start, end)
        if client.peer.pointee.isMetered,
            let refusal = broker.pointee.admit(bytes: start.distance(to: end) + 1, from: client.peer)
        {
            return broker.pointee.refuse(refusal, parser.pointee.request.id, client.peer)
        }
        switch outcome {
        case .blank: break
        case .refused: broker.pointee.refuse(parser.pointee.refusal, parser.pointee.request.id, client.peer)
        case .request where parser.pointee.request.op == .batch:
            let id = parser.pointee.request.id
            switch parser.pointee.parseBatch() {
            case .success(let posts): broker.pointee.handle(batch: posts, id: id, from: client.peer)
            case .failure(let refusal): broker.pointee.refuse(refusal, id, client.peer)
            }
        case .request: broker.pointee.handle(parser.pointee.requestRef, from: client.peer)
        }
    }

    func countInput(_ bytes: Int, from client: StageClient) {
        wakeUp { broker.pointee.countInput(bytes, from: client.peer) }
    }

    /// So many bytes of what came from the client are kept; whether it may stay.
    func keepInput(_ bytes: Int, of client: StageClient) -> Bool {
        wakeUp { broker.pointee.keepInput(bytes, of: client.peer) }
    }

    func endInput(of client: StageClient) { wakeUp { broker.pointee.endInput(of: client.peer) } }

    func deafen(_ client: StageClient) { wakeUp { broker.pointee.deafen(client.peer) } }

    /// What the hub looks at after each line: what is said in `body` is not written before that.
    func turnIsOver(after body: () -> Void) -> Bool {
        wakeUp {
            body()
            return broker.pointee.turnIsOver
        }
    }

    /// The turn of the client took so long, and was so much work.
    func rest(_ client: StageClient, after work: Int, nanoseconds: UInt64) {
        broker.pointee.beginWakeUp(at: now)
        broker.pointee.rest(client.peer, after: work, until: now.monotonic + nanoseconds)
    }

    func announceReload(succeeded: Bool) { wakeUp { broker.pointee.announceReload(succeeded: succeeded) } }

    func takeSlow() -> [SlowSubscription] { broker.pointee.takeSlow() }

    /// Slots of posters that need wait no longer, as the hub asks for them.
    func takeReleased() -> [Int] { wakeUp { broker.pointee.takeReleased() } }

    func stopBlocking() { wakeUp { broker.pointee.stopBlocking() } }

    func shutDown() { wakeUp { broker.pointee.shutDown() } }

    // MARK: Writing

    private func writeAll() {
        repeat {
            broker.pointee.publishNews()
            writeOnce()
        } while broker.pointee.hasOutput
    }

    private func writeOnce() {
        while let peer = broker.pointee.nextToWrite() {
            guard let client = clients.first(where: { $0.peer == peer }) else {
                broker.pointee.deafen(peer)
                continue
            }
            write(to: client)
        }
        tellAccepted()
        broker.pointee.endWakeUp()
    }

    /// Before anybody can read of it, also where a client takes bytes in the middle of a wake-up.
    private func tellAccepted() {
        guard let onAccept else { return }
        for index in 0..<broker.pointee.outbox.lines.count {
            let line = broker.pointee.outbox.lines[index]
            if line.position <= lastTold { continue }
            lastTold = line.position
            onAccept(line, broker.pointee.outbox.messages.slice(from: line.start, to: line.end - 1).text)
        }
    }

    /// The client's kernel can take bytes again (EPOLLOUT), and as long as it can.
    func writable(_ client: StageClient) {
        repeat {
            wakeUp {
                guard client.peer.pointee.isBlocked else { return }
                tellAccepted()
                write(to: client)
            }
        } while goesOn && isWatched(client)
    }

    /// Everybody whose kernel takes bytes gets what waits for it in turns, as many as it takes.
    var goesOn = true

    /// One turn of those.
    func goOn() {
        for client in clients where isWatched(client) {
            wakeUp {
                tellAccepted()
                write(to: client)
            }
        }
    }

    private func isWatched(_ client: StageClient) -> Bool {
        client.peer.pointee.isBlocked && client.room != 0 && !broker.pointee.isHeld(client.peer)
    }

    private func write(to client: StageClient) {
        while true {
            let slices = broker.pointee.slices(for: client.peer)
            if slices.isEmpty { return }
            let offered = slices.reduce(0) { $0 + $1.count }
            client.offers.append(offered)
            var taken = 0
            for slice in slices {
                taken += client.take(slice)
            }
            let hasMore = broker.pointee.wrote(taken, to: client.peer)
            if !hasMore || taken < offered { return }
        }
    }

    // MARK: The store

    /// What is to be written next; nil when nothing is, or something is being written.
    func takeOperations(evenIfNone: Bool = false) -> [StoreOperation]? {
        broker.pointee.hasUnstored || evenIfNone ? broker.pointee.takeOperations() : nil
    }

    /// What was taken is on disk, or is not.
    func settle(failure: String? = nil) { wakeUp { broker.pointee.settle(failure: failure) } }

    /// Writes what there is to be written.
    @discardableResult
    func commit() -> [StoreOperation] {
        guard let operations = takeOperations() else { return [] }
        settle()
        return operations
    }

    var hasTrimmed: Bool { broker.pointee.hasTrimmed }
    /// What housekeeping tells the store.
    func trim() -> [StoreOperation] {
        let operations = broker.pointee.takeOperations()
        settle()
        return operations
    }

    func isHeld(_ client: StageClient) -> Bool { broker.pointee.isHeld(client.peer) }
    /// As if everything up to this `pos` had been posted.
    func skip(to position: UInt64) { broker.pointee.position = position }
    func skip(toSchedule number: UInt64) { broker.pointee.held.lastNumber = number }
    /// Scheduled posts that would be lost if the daemon stopped now.
    var givenUp: Int { broker.pointee.scheduledCount }
    /// Replays that have not been said to their end.
    var unsaid: Int { broker.pointee.unsaid.count }
    var heldPeers: Int { broker.pointee.storage.held.count }
    func setAccess(_ rules: AccessRules) { wakeUp { broker.pointee.setAccess(rules) } }
    func takeRevocations() -> Revocations { broker.pointee.takeRevocations() }
    func takeDenials() -> [Denial] { broker.pointee.takeDenials() }
    /// Identities of which something is known.
    var profileCount: Int { broker.pointee.access.count }
    func setQuotas(_ rules: [QuotaRule]) { wakeUp { broker.pointee.setQuotas(rules) } }
    func setLimits(_ change: (inout Limits) -> Void) { wakeUp { change(&broker.pointee.limits) } }
    func takeExcesses() -> [Excess] { broker.pointee.takeExcesses() }
    func setRules(_ rules: [ChannelRule]) { wakeUp { broker.pointee.setRules(rules) } }

    // MARK: Looking inside

    var position: Int { Int(broker.pointee.position) }
    /// What was done in this turn, in the measure by which it ends.
    var work: Int { broker.pointee.work }
    /// Posts that the last run took for one.
    var postsOfLastRun: Int { broker.pointee.run.posts }
    var channelCount: Int { broker.pointee.channels.count }
    /// Room for bytes in the log of messages.
    var logCapacity: Int { broker.pointee.outbox.messages.capacity }
    /// Memory of full pieces of the log that waiting lines keep.
    var chunkBytes: Int { broker.pointee.outbox.chunks.fullBytes }
    var historyBytes: Int { broker.pointee.histories.pointee.bytes }
    var retainedBytes: Int { broker.pointee.retainedBytes }
    var patternCount: Int { broker.pointee.patterns.count }
    /// Entries that the tables of the tree of patterns have room for.
    var patternRoom: Int { broker.pointee.patterns.room }
    /// Nodes of the tree of patterns.
    var patternNodes: Int { broker.pointee.patterns.nodeCount }
    /// At how many places a search for the channel's subscriptions looks.
    func places(searchedFor channel: String) -> Int {
        Array(channel.utf8).withUnsafeBufferPointer { bytes in
            bytes.baseAddress.map { broker.pointee.patterns.matches(of: ByteSlice($0, bytes.count)).places } ?? 0
        }
    }
    /// Lines that wait for the client, or are to be written to it in this wake-up.
    func unsent(to client: StageClient) -> [String] {
        let split = { (slice: ByteSlice) in slice.text.split(separator: "\n").map(String.init) }
        var lines: [String] = []
        var next = client.peer.pointee.waiting
        while let line = next {
            next = line.pointee.next
            lines += split(broker.pointee.outbox.slice(line))
        }
        var index = broker.pointee.outbox.hasRanges(client.peer) ? client.peer.pointee.firstRange : -1
        while index >= 0 {
            let range = broker.pointee.outbox.ranges[Int(index)]
            lines += split(broker.pointee.outbox.slice(range))
            index = range.next
        }
        return lines
    }
    var accountCount: Int { broker.pointee.accounts.all.count }
    /// Accounts of which something is used, and what.
    var usedAccounts: [String] {
        broker.pointee.accounts.all.filter { !$0.pointee.isEmpty || $0.pointee.queue.used != 0 }.map { account in
            let used = Resource.allCases.map { "\($0.name): \(account.pointee.used[$0])" }
            return "\(account.pointee.owner.text): \(used), \(account.pointee.histories.bytes) of history"
        }
    }
    /// What is used of all pools, and by how many.
    var poolsInUse: Int { used(of: Resource.allCases) }
    /// The same of what goes with its connection.
    var usedByConnections: Int { used(of: [.clients, .subscriptions, .queuedBytes]) }
    private func used(of resources: [Resource]) -> Int {
        let shares = broker.pointee.accounts.pools.pointee.shares
        return resources.reduce(0) { $0 + abs(shares[$1].used) + abs(shares[$1].holders) }
    }
    func takeFreedBytes() -> Int { broker.pointee.takeFreedBytes() }
    var pins: Int {
        var total = 0
        broker.pointee.channels.forEach { channel in
            total += Int(channel.pointee.pins)
            return true
        }
        return total
    }

    /// Also where nobody may ask for it.
    var deniedCount: UInt64 { broker.pointee.counters.denied }

    /// As somebody is told it who may do what everybody may in most stages.
    var statistics: JSON {
        let client = connect()
        defer { disconnect(client) }
        return client.ask(#"{"op":"stats","id":1}"#)["stats"]
    }
}

extension Stage {
    /// Time goes by, nothing else.
    func advance(milliseconds: UInt64) {
        now.monotonic += milliseconds * 1_000_000
        now.wall += Int64(milliseconds) * 1_000_000
    }

    /// Time goes by, and the broker is called whenever it wants to be.
    func pass(milliseconds: UInt64) {
        let end = now.monotonic + milliseconds * 1_000_000
        while let deadline, deadline <= end {
            let step = max(deadline, now.monotonic) - now.monotonic
            now.monotonic += step
            now.wall += Int64(step)
            tick()
        }
        now.wall += Int64(end - now.monotonic)
        now.monotonic = end
    }
}

extension ChannelRule {
    /// For all channels.
    static var noHistory: ChannelRule { keeping(0) }

    static func keeping(_ messages: Int) -> ChannelRule {
        var rule = ChannelRule(pattern: ">")
        rule.history.messages = messages
        return rule
    }
}
