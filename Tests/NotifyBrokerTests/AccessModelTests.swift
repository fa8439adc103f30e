// What is delivered, by lists of matches that channels keep, is what the rules say when they are asked about each message,
// whatever comes, goes, and changes in between.

import NotifyBroker
import NotifyTestSupport
import NotifyWire
import Testing

@Suite("Access, asked for each message")
struct AccessModelTests {
    private static let tokens = ["a", "b", "c"]
    private static let channels =
        tokens.flatMap { one in [one] + tokens.map { "\(one).\($0)" } } + ["a.b.c", "user.1.x"]
    private static let patterns = channels + [">", "*", "*.*", "a.>", "*.b", "a.*", "b.>", "user.>", "*.b.>"]
    private static let identities = [
        Identity(uid: 1, gid: 1), Identity(uid: 1, gid: 1, groups: [5]), Identity(uid: 2, gid: 5),
        Identity(uid: 2, gid: 2, unit: "x.service"), Identity(uid: 3, gid: 3, groups: [5, 6], unit: "y.service"),
    ]

    private struct Listener {
        let client: StageClient
        let identity: Identity
        var subscriptions: [Int: String] = [:]
    }

    private var random: SplitMix
    private let stage: Stage
    private var rules: AccessRules
    private var listeners: [Listener] = []
    private var payload = 0

    init() {
        random = SplitMix(state: 1)
        rules = AccessRules([])
        stage = Stage(access: rules)
    }

    private func with<R>(_ text: String, _ body: (ByteSlice) -> R) -> R {
        Array(text.utf8).withUnsafeBufferPointer { body(ByteSlice($0.baseAddress!, $0.count)) }
    }

    private func may(_ right: Right, _ channel: String, _ identity: Identity) -> Bool {
        with(channel) { rules.decide(right, on: $0, for: identity).isAllowed }
    }

    private func matches(_ pattern: String, _ channel: String) -> Bool {
        with(pattern) { pattern in with(channel) { PatternName.covers(pattern, $0) } }
    }

    private mutating func makeRules() -> AccessRules {
        var list: [AccessRule] = []
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            let who = Selector(
                uid: random.once(in: 3) ? random.pick([1, 2, 3]) : nil,
                gid: random.once(in: 3) ? random.pick([5, 6]) : nil,
                unit: random.once(in: 5) ? "x.service" : nil)
            let channels = random.once(in: 4) ? nil : "\(random.pick(Self.patterns)) \(random.pick(Self.patterns))"
            let right = random.pick([Right.post, .listen])
            list.append(random.once(in: 3) ? .deny(right, on: channels, to: who) : .allow(right, on: channels, to: who))
        }
        return AccessRules(configured: list, uid: 99, group: random.once(in: 2) ? 5 : nil)
    }

    // MARK: What can happen

    private mutating func reload() {
        rules = makeRules()
        stage.setAccess(rules)
        for index in listeners.indices {
            for line in listeners[index].client.read() {
                guard let number = line["sub"].int, let pattern = listeners[index].subscriptions[number] else {
                    continue
                }
                #expect(line.code == "denied")
                let identity = listeners[index].identity
                #expect(!Self.channels.contains { matches(pattern, $0) && may(.listen, $0, identity) }, "\(pattern)")
                listeners[index].subscriptions[number] = nil
            }
            // Those that are left to a channel may listen to it.
            for pattern in listeners[index].subscriptions.values where Self.channels.contains(pattern) {
                #expect(may(.listen, pattern, listeners[index].identity))
            }
        }
    }

    private mutating func subscribe() {
        guard !listeners.isEmpty else { return }
        let index = Int.random(in: listeners.indices, using: &random)
        let pattern = random.pick(Self.patterns)
        let identity = listeners[index].identity
        let reply = listeners[index].client.ask(#"{"op":"subscribe","id":1,"channel":"\#(pattern)"}"#)
        let isAllowed = Self.channels.contains { matches(pattern, $0) && may(.listen, $0, identity) }
        if let number = reply["sub"].int {
            listeners[index].subscriptions[number] = pattern
            #expect(isAllowed || !Self.channels.contains(pattern))
        } else {
            #expect(reply.code == "denied" && !isAllowed)
        }
    }

    private mutating func unsubscribe() {
        guard let index = listeners.indices.randomElement(using: &random),
            let number = listeners[index].subscriptions.keys.sorted().first
        else { return }
        listeners[index].subscriptions[number] = nil
        _ = listeners[index].client.ask(#"{"op":"unsubscribe","id":1,"sub":\#(number)}"#)
    }

    private mutating func post() {
        guard let poster = listeners.randomElement(using: &random) else { return }
        let channel = random.pick(Self.channels)
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            payload += 1
            poster.client.post(channel, "\(payload)")
            let isAccepted = may(.post, channel, poster.identity)
            for listener in listeners {
                let lines = listener.client.read()
                if listener.client === poster.client { #expect(lines.contains { $0.code == "denied" } != isAccepted) }
                let expected = listener.subscriptions.filter { matches($0.value, channel) }.keys.sorted()
                #expect(
                    lines.messages.compactMap { $0["sub"].int }.sorted()
                        == (isAccepted && may(.listen, channel, listener.identity) ? expected : []))
            }
        }
    }

    @Test("comes to the same")
    func play() {
        var game = self
        for step in 0..<6000 {
            if step % 40 == 0 { game.reload() }
            switch Int.random(in: 0..<20, using: &game.random) {
            case 0 where game.listeners.count < 8, 1 where game.listeners.count < 8:
                let identity = game.random.pick(Self.identities)
                game.listeners.append(Listener(client: game.stage.connect(identity), identity: identity))
            case 2 where game.listeners.count > 4:
                game.stage.disconnect(game.listeners.remove(at: 0).client)
            case 3...7: game.subscribe()
            case 8: game.unsubscribe()
            default: game.post()
            }
        }
        #expect(game.payload > 3000)
    }
}
