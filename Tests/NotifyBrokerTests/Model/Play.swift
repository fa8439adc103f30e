// A random play: clients with random kernels post, subscribe, come and go, while time passes and a store is written or
// is not. The first thing that is wrong ends it.

import NotifyTestSupport
import NotifyWire

@testable import NotifyBroker

final class Play {
    let stage: Stage
    let features: Set<Feature>
    var random: SplitMix
    var model = Model()
    var actors: [Actor] = []
    var lives: [Life] = []
    var circles: [Circle] = []
    /// The groups that there are.
    var living: [Circle.Key: Circle] = [:]
    /// All that was accepted, and the bodies of their lines.
    var truth: [Witnessed] = []
    var bodies: [String] = []
    private(set) var sequences: [String: Int] = [:]
    private(set) var fault: String?
    /// Goals that were come to on the way.
    var met: Set<String> = []
    private var step = 0
    private var lastNumber = 0
    private var lastRequest = 0

    /// What replies have said of posts: their `pos`, their schedule, or whether they replaced another.
    var said: [Int: Receipt] = [:]
    enum Receipt: Equatable {
        case position(Int)
        case schedule(Int)
        case held(Bool)
    }
    /// The schedules by which posts may be cancelled.
    var schedules: [Int: Int] = [:]
    var doubles: [(first: Int, receipt: Receipt)] = []

    // The store: pieces by their number, with what stands in them.
    var piece = 0
    var pieces: [[Int]] = []
    var isWriting = false
    var failedPieces: Set<Int> = []
    /// How many messages the pieces hold whose outcome is known.
    var settled: Set<Int> = []

    init(seed: UInt64, chunkBytes: Int, without excluded: Set<Feature> = []) {
        random = SplitMix(state: seed)
        // Each with one half.
        var features: Set<Feature> = []
        for feature in Feature.allCases where random.once(in: 2) { features.insert(feature) }
        self.features = features.subtracting(excluded)
        let (isNarrow, isPatient) = (self.features.contains(.narrowConnections), self.features.contains(.patience))
        stage = Stage(
            chunkBytes: chunkBytes,
            pieceBytes: self.features.contains(.pieces) ? random.pick([60, 700]) : Limits.pieceBytes,
            channelRules: [.persistent("p.>", messages: Past.kept), .keeping(Past.kept)],
            stored: self.features.contains(.store) ? StoredState(epoch: "e1") : nil
        ) {
            if isNarrow { $0.clientQueueBytes = 4000 }
            $0.blockMilliseconds = isPatient ? 1_000_000 : 10
            $0.dedupWindowSeconds = Int(Model.dedupWindow / 1_000_000_000)
        }
        stage.goesOn = false
        model.now = stage.now.monotonic
        stage.onAccept = { [unowned self] in witness($0, $1) }
    }

    func fail(_ text: String) {
        if fault == nil { fault = "step \(step): \(text)" }
    }

    func run(steps: Int) {
        while step < steps, fault == nil {
            step += 1
            pass(UInt64.random(in: 0...3, using: &random))
            stage.wakeUp {
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    let count = actors.count
                    act()
                    // A will is made when the wake-up ends: nothing may come before it that the model takes for later.
                    if actors.count < count { break }
                }
            }
            if stage.unsaid > 0 { met.insert("a long replay") }
            if random.once(in: 2) { stage.goOn() }
            listen()
        }
    }

    func pass(_ milliseconds: UInt64) {
        // What the store had put off is made at once.
        model.pass(to: stage.now.monotonic)
        stage.pass(milliseconds: 0)
        // One by one, so that it is known when something was read.
        for _ in 0..<milliseconds {
            model.pass(to: stage.now.monotonic + 1_000_000)
            stage.pass(milliseconds: 1)
            listen()
        }
    }

    private func act() {
        if actors.count < 3 || actors.count < 6 && random.once(in: 40) {
            let uid: UInt32 = random.pick([1000, 1000, 1001])
            actors.append(Actor(stage.connect(uid: uid), uid: uid))
            return
        }
        let actor = random.pick(actors)
        if actor.client.peer.pointee.holds > 0 { met.insert("a held poster") }
        let mayAsk = !actor.saidBye && !actor.client.isPaused
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<50: if mayAsk { post(actor) }
        case 50..<57: if mayAsk, features.contains(.batches) { batch(actor) }
        case 57..<69: if mayAsk { subscribe(actor) }
        case 69..<75: if mayAsk { unsubscribe(actor) }
        case 75..<78: if mayAsk, features.contains(.wills) { will(actor) }
        case 78..<80: if mayAsk, features.contains(.schedules) { cancel(actor) }
        case 80..<93: move(actor.client)
        case 93..<97: if features.contains(.store) { useStore() }
        case 97: if mayAsk { bye(actor) }
        default: if actors.count > 3 { leave(actor) }
        }
    }

    func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Sends a request with these members, and keeps in mind what its answer means.
    func ask(_ actor: Actor, _ members: String, _ meaning: Actor.Meaning) {
        lastRequest += 1
        actor.awaited.append((lastRequest, meaning))
        actor.client.send("{\"id\":\(lastRequest),\(members)}")
    }

    /// The kernel of the client takes some bytes, none, or all.
    private func move(_ client: StageClient) {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: client.block()
        case 1: client.unblock()
        default: client.makeRoom(Int.random(in: 1...1500, using: &random))
        }
    }

    /// A piece begins to be written, or comes to its end, good or bad.
    func useStore(mayFail: Bool = true) {
        if isWriting {
            let fails = mayFail && random.once(in: 4)
            isWriting = false
            model.isFailing = fails
            if fails { failedPieces.insert(pieces.count - 1) }
            settled.formUnion(pieces.last ?? [])
            return stage.settle(failure: fails ? "full" : nil)
        }
        guard let operations = stage.takeOperations(evenIfNone: model.isFailing) else { return }
        isWriting = true
        pieces.append(operations.messages.map { Int($0.position) })
    }

    /// A post was accepted: its line, as it stands in the log.
    private func witness(_ line: Outbox.Line, _ text: String) {
        let json = JSON(text)
        let number = json["payload"].int ?? -1
        guard let post = model.posts[number], json["pos"].int == truth.count + 1, json["channel"].text == post.channel,
            json["type"].text == post.type, json["subject"].text == post.subject,
            json["from"]["client"].int == post.client, json["from"]["uid"].int == Int(post.uid),
            json["priority"].text == [0: "low", 2: "high"][post.priority],
            json["retain"].bool == (post.isRetained ? true : nil)
        else { return fail("accepted \(text) as number \(truth.count + 1)") }
        sequences[post.channel, default: 0] += 1
        let sequence = sequences[post.channel, default: 0]
        if json["seq"].int != sequence { fail("accepted \(text) as seq \(sequence)") }
        truth.append(
            Witnessed(
                position: truth.count + 1, sequence: sequence, post: post, made: stage.now.monotonic,
                expires: post.timeToLive.map { (model.births[number] ?? 0) + $0 }))
        bodies.append(Self.body(of: text))
    }

    /// What all who get a message read alike.
    static func body(of line: String) -> String {
        String(line.utf8.drop { $0 != UInt8(ascii: ",") }.dropFirst().drop { $0 != UInt8(ascii: ",") }) ?? ""
    }
}
