// Decides who gets what, in which order, how much of it waits and what is refused. It knows no socket, clock or file:
// requests, time and randomness come in as arguments, and what it says stands in its outbox.
//
// The order of a wake-up: `beginWakeUp`, any number of `connect`, `handle`, `disconnect`, then for each peer of
// `nextToWrite` slices out and `wrote` in, then `endWakeUp`.

package import NotifyWire

package struct Broker: ~Copyable {
    package static let version = "0.1.0"

    package var limits: Limits {
        didSet { applyLimits() }
    }
    package internal(set) var epoch: String

    var outbox: Outbox
    var channels: ChannelTable
    var patterns = PatternIndex()
    /// Channels with a retained message, in no order.
    var retainedChannels: [ChannelRef] = []
    var retainedBytes = 0
    package internal(set) var position: UInt64 = 0
    /// When the message that is being delivered expires, as monotonic nanoseconds; 0: never.
    var expires: UInt64 = 0
    /// Its priority, and what it is about.
    var mark = Mark()
    /// Subscriptions that must know what messages are about.
    var conflating = 0
    /// Subscriptions for whose queues posters wait, the posters that need no longer, and whether there may be any.
    var holding: [SubscriptionRef] = []
    var released: [Int] = []
    var blocking = 0
    /// Who posts the current message; only known while there is a subscription that asks for it.
    var poster: PeerRef?
    /// Messages that were given to a subscription already come into its queue: it is too late to hold their posters.
    var isPostponing = false
    /// The posts that are made now come from one request.
    var isInBatch = false
    /// Nobody is held any more: the daemon stops.
    var isDraining = false
    var groups: [Group.Key: GroupRef] = [:]
    /// Subscriptions with policy `fail` that have lost a message, and what to say of it.
    var overflowed: [(SubscriptionRef, String)] = []

    var rules: ChannelRules
    var access: AccessTable
    /// Other rules have come into force, and not all subscriptions have been looked at.
    var review: Review?
    /// What was denied since `takeDenials`.
    var denials: [Denial] = []
    var revocations = Revocations()
    /// Through a local copy of the pointer only: used from here the thread sanitizer's compiler fails on it (Swift 6.3.1).
    let histories = Histories.make()
    var unsaid = Unsaid()
    let pieceBytes: Int
    var accounts: Accounts
    var quotas: [QuotaRule] = []
    /// What was too much since `takeExcesses`.
    var excesses: [Excess] = []
    /// When the history that was added to longest ago is looked at.
    var historyDeadline = Deadlines<Due>.Key.none
    var storage = Storage()
    /// What was posted on channels that are not persistent up to this `pos` and time was lost with an earlier life of the
    /// daemon.
    var volatile: (position: UInt64, wall: Int64) = (0, .min)
    /// The `pos` of each message of this life that is from a client of an earlier one. No more than posts came back from
    /// the store.
    var messagesOfEarlierLife: Set<UInt64> = []
    /// The highest `pos` of all channels that were forgotten, and the latest time of their messages.
    var forgottenPosition: UInt64 = 0
    var forgottenWall = Int64.min

    var peers: [PeerRef?] = []
    var freeSlots: [Int] = []
    /// Peers that are gone; freed when nothing of this wake-up can name them any more.
    var departed: [PeerRef] = []
    var clientCount = 0
    var lastClient: UInt64 = 0
    var subscriptionCount = 0

    package internal(set) var now = Moment(wall: 0, monotonic: 0)
    let started: UInt64
    var timestamp = TimestampFormatter()
    /// The `from` object of the peer that posted last.
    var sender = ByteLog(capacity: 96)
    var senderClient: UInt64 = .max
    var senderUID: UInt32 = 0
    var senderAccount: AccountRef
    /// The channel of posts with this envelope by peers of this profile.
    var usual = Usual()
    var template = LineTemplate()
    /// The posts that are handled as one.
    var run = Run()
    var blockedOfRun = Vector<SubscriptionRef>()
    /// Whose lines begin as the template says.
    var templateKind = TemplateKind()
    /// A retained message that nobody else gets is written here.
    var scratch = ByteLog(capacity: 1024)
    /// Lines of the current message by their `sub`.
    let copies = UnsafeMutablePointer<LineCopy>.allocate(capacity: Broker.copyLimit)
    var copyCount = 0
    static let copyLimit = 8
    var slices = UnsafeMutablePointer<ByteSlice>.allocate(capacity: Limits.slicesPerWrite)
    var writeCursor = 0

    /// The highest `seq` of all channels that were forgotten: whoever comes anew starts above it.
    var forgottenSequence: UInt64 = 0
    /// More channels than this are too many right now.
    var urgentChannels = 0
    /// Places of their table that are still to be looked at, because there are too many.
    var urgentPlaces = 0
    var sweepDelay = Limits.sweepNanoseconds
    var sweep = Sweep()
    /// When idle channels are looked for, as monotonic nanoseconds; nil while there are few.
    var sweepDeadline: UInt64?
    /// Everything else that happens by itself, by the monotonic clock.
    var deadlines = Deadlines<Due>()
    /// What happens at a time of day, by the wall clock, and when to look at it next by the other.
    var appointments = Deadlines<Due>()
    var nextLook: UInt64?
    /// Posts whose time has come but that were not made yet, by when it came (wall clock).
    var overdue = Deadlines<Due>()
    var held = HeldPosts()
    var dedup = DedupTable()
    var dedupDeadline = Deadlines<Due>.Key.none
    /// See `stand`.
    let standIn = PeerRef.allocate(capacity: 1)
    /// Its profile: nobody asks what it may do.
    let nobody: AccessProfileRef
    var isShuttingDown = false
    /// Subscriptions that began to lose messages since `takeSlow`.
    var slow: [SlowSubscription] = []
    /// What is to be posted before the next write.
    var news: [News] = []
    /// The rest of it has its turn in the next wake-up.
    var newsWait = false
    /// Subscriptions to the daemon's own channels.
    var ownSubscriptions = 0
    /// The daemon's process and user: who its own messages are from.
    package var identity: (pid: Int32, uid: UInt32) = (0, .max) {
        didSet { for account in accounts.all { account.pointee.hasAll = account.pointee.owner == .uid(identity.uid) } }
    }
    var counters = Counters()
    var tracing = Tracing()
    /// Somebody traces: asked with each post.
    var hasTraces = false

    struct Usual {
        var envelope: UInt64 = 0
        var channel: ChannelRef?
        var profile: AccessProfileRef?
    }

    struct TemplateKind: Equatable {
        var envelope: UInt64 = 0
        var client: UInt64 = 0
        var number: UInt32 = 0
    }

    struct LineCopy {
        var number: UInt32
        var start: Int
        var end: Int
    }

    /// - Parameters:
    ///   - epoch: names this life of the numbering; random.
    ///   - hashKey: random, so that clients cannot choose channels that collide.
    package init(
        limits: Limits, channelRules: [ChannelRule] = [], access: AccessRules = .open, epoch: String, hashKey: UInt64,
        now: Moment, chunkBytes: Int = Limits.chunkBytes, pieceBytes: Int = Limits.pieceBytes
    ) {
        self.limits = limits
        self.rules = ChannelRules(channelRules)
        self.access = AccessTable(access)
        self.outbox = Outbox(chunkBytes: chunkBytes)
        self.pieceBytes = pieceBytes
        self.epoch = epoch
        self.channels = ChannelTable(key: hashKey)
        self.now = now
        self.started = now.monotonic
        nobody = self.access.use(Identity(uid: .max, gid: .max))
        accounts = Accounts(limits)
        senderAccount = accounts.make(.uid(0), limits, hasAll: false)
        standIn.initialize(
            to: Peer(
                slot: 0, client: 0, pid: 0, uid: 0, gid: 0, profile: nobody, account: senderAccount, connected: 0))
    }

    deinit {
        for case let peer? in peers { Self.free(peer) }
        for peer in departed { Self.free(peer) }
        Self.free(standIn)
        for case .will(let will) in news { HeldPost.destroy(will) }
        for group in groups.values { Group.destroy(group) }
        slices.deallocate()
        histories.deallocate()
        copies.deallocate()
    }

    package var hasSlow: Bool { mutating get { !slow.isEmpty } }

    package mutating func takeSlow() -> [SlowSubscription] {
        defer { slow = [] }
        return slow
    }

    /// About how many bytes are free again since the last call: how many waited at the most, less those that wait now,
    /// and what subscriptions took that have ended.
    package mutating func takeFreedBytes() -> Int {
        defer {
            counters.mostWaitingBytes = counters.waitingBytes
            counters.endedBytes = 0
        }
        if counters.waitingBytes == 0 { outbox.chunks.trim() }
        return counters.mostWaitingBytes - counters.waitingBytes + counters.endedBytes
    }

    package mutating func beginWakeUp(at now: Moment) {
        self.now = now
        newsWait = false
        beginTurn()
    }

    /// It is another one's turn. What is written within a turn does not make it begin anew: very many posts that each reach
    /// many subscriptions would have no end.
    @inline(__always)
    package mutating func beginTurn() {
        work = 0
        turnIsOver = false
        answersEnd = Limits.logBytes
        endRun()
        run.state = .none
    }

    /// The peer is read from now. How much it takes of the answers is seen before there are too many of them.
    @inline(__always)
    package mutating func beginAnswers(to peer: PeerRef) {
        answersEnd = min(outbox.replies.count + peer.pointee.answersPerPiece, Limits.logBytes)
    }

    /// Where in the log of replies it is to be written, before the next request is handled.
    private var answersEnd = Limits.logBytes

    /// Whether so much has been said that it should be written before the next request is read.
    package internal(set) var wantsWrite = false
    /// So much has been done in this turn that others should have their turn.
    package internal(set) var turnIsOver = false
    package internal(set) var work = 0

    /// Until when the peer's account rests, as monotonic nanoseconds; 0: it does not.
    package func rest(of peer: PeerRef) -> UInt64 {
        let until = peer.pointee.account.pointee.restsUntil
        return until > now.monotonic ? until : 0
    }

    /// So much was done for the peer in its turn. If that is more than half of what a turn may be, all of its account whose
    /// turns are over rest until then, one after the other.
    package mutating func rest(_ peer: PeerRef, after work: Int, until time: UInt64) {
        let account = peer.pointee.account
        guard 2 * work > Limits.workPerTurn else { return peer.pointee.restsUntil = 0 }
        let before = max(account.pointee.restsUntil, now.monotonic)
        account.pointee.restsUntil = before + (time - now.monotonic)
        peer.pointee.restsUntil = account.pointee.restsUntil
    }

    @inline(__always)
    mutating func spend(_ effort: Int) {
        work += effort
        guard _slowPath(work > Limits.workPerTurn) else { return }
        wantsWrite = true
        turnIsOver = true
    }

    package mutating func handle(_ request: RequestRef, from peer: PeerRef) {
        if isShuttingDown {
            return refuse(Refusal(.shuttingDown, "the daemon is stopping"), request.pointee.id, peer)
        }
        if peer.pointee.isEnding { return }
        if case .post = request.pointee.op { post(request, from: peer) } else { handleOther(request, from: peer) }
    }

    /// Apart, because it copies the request, as posts do not.
    @inline(never)
    private mutating func handleOther(_ request: RequestRef, from peer: PeerRef) {
        let request = request.pointee
        // Nobody would read the answer, and it has no other effect.
        if peer.pointee.isDeaf, request.isSearch { return }
        switch request.op {
        case .post, .batch: preconditionFailure("posts and batches have ways of their own")
        case .subscribe: subscribe(request, from: peer)
        case .unsubscribe: unsubscribe(request, from: peer)
        case .get: get(request, from: peer)
        case .clear: clear(request, from: peer)
        case .hello: hello(request, from: peer)
        case .ping: acknowledge(request, peer)
        case .bye: bye(request, from: peer)
        case .channels: listChannels(request, for: peer)
        case .clients: listClients(request, for: peer)
        case .subscriptions: listSubscriptions(request, for: peer)
        case .stats: statistics(request, for: peer)
        case .cancel: cancel(request, from: peer)
        case .will: will(request, from: peer)
        case .explain: explain(request, for: peer)
        }
    }

    /// A line that the parser refused, or that was too long.
    package mutating func refuse(_ refusal: Refusal, _ id: ByteSlice, _ peer: PeerRef) {
        counters.countRefusal(refusal.code)
        peer.pointee.account.pointee.refused += 1
        note(refusal, of: peer)
        let start = outbox.replies.count
        ControlLine.appendError(to: &outbox.replies, id: id, refusal)
        sayReply(from: start, to: peer)
    }

    /// `ok` with nothing else, if the request wants an answer.
    mutating func acknowledge(_ request: Request, _ peer: PeerRef) {
        guard request.wantsReply else { return }
        let start = outbox.replies.count
        ControlLine.beginReply(to: &outbox.replies, id: request.id)
        ControlLine.endReply(to: &outbox.replies)
        sayReply(from: start, to: peer)
    }

    /// Hands the peer what stands at the end of the log of replies, from `start` on.
    mutating func sayReply(from start: Int, to peer: PeerRef) {
        let end = outbox.replies.count
        if peer.pointee.isBlocked || peer.pointee.isDeaf {
            if !peer.pointee.isDeaf { wait(reply: outbox.replies.slice(from: start, to: end), for: peer) }
            return outbox.replies.truncate(to: start)
        }
        if end > answersEnd { wantsWrite = true }
        outbox.append(start, end, isReply: true, to: peer)
    }
}

/// One reading of both clocks.
package struct Moment: Sendable {
    /// CLOCK_REALTIME, nanoseconds since 1970.
    package var wall: Int64
    /// CLOCK_MONOTONIC, nanoseconds.
    package var monotonic: UInt64

    package init(wall: Int64, monotonic: UInt64) {
        self.wall = wall
        self.monotonic = monotonic
    }
}
