// Subscriptions of a play, and how clients leave.

import NotifyTestSupport
import NotifyWire

@testable import NotifyBroker

extension Play {
    private static let patterns = [">", "a.*", "*.c", "a.>", "a.b", "a", "b.c", "*.*.*", "p.*", "p.a"]

    private func randomWishes(of actor: Actor) -> Life.Wishes {
        var wishes = Life.Wishes(pattern: random.pick(Self.patterns))
        wishes.type = random.pick(["T", nil, nil])
        wishes.uid = random.once(in: 4) ? actor.uid : nil
        wishes.echo = !random.once(in: 3)
        let policies: [(String, Feature?)] = [
            ("newest", nil), ("oldest", .oldest), ("latest", .latest), ("fail", .fail), ("block", .block),
        ]
        let (policy, feature) = random.pick(policies)
        if feature.map({ features.contains($0) }) != false { wishes.policy = policy }
        wishes.messages = Int.random(in: 1...12, using: &random)
        if features.contains(.intervals), random.once(in: 3) {
            wishes.interval = Int.random(in: 1...20, using: &random)
        }
        return wishes
    }

    func subscribe(_ actor: Actor) {
        let number = Int.random(in: 1...12, using: &random)
        guard actor.asked[number] == nil else { return }
        var wishes = randomWishes(of: actor)
        var group: String?
        var circle: Circle?
        if features.contains(.groups), random.once(in: 2) {
            group = random.pick(["g", "h"])
            // Whether a member that fails was still there is not known.
            if wishes.policy == "fail" { wishes.policy = "newest" }
            circle = join(group ?? "", &wishes, actor)
        }
        let life = Life(
            label: "sub \(number) of client \(actor.number) \(wishes)", wishes: wishes, client: actor.number,
            uid: actor.uid, circle: circle, start: stage.position)
        circle?.members.append(life)
        lives.append(life)
        actor.asked[number] = life
        life.past = randomPast().map { Past($0) }
        var members = #""op":"subscribe","sub":\#(number),"channel":"\#(wishes.pattern)","echo":\#(wishes.echo)"#
        members += #","buffer":{"policy":"\#(wishes.policy)","messages":\#(wishes.messages),"bytes":3000}"#
        if let type = wishes.type { members += #","type":"\#(type)""# }
        if let uid = wishes.uid { members += #","from_uid":\#(uid)"# }
        if let group { members += #","group":"\#(group)""# }
        if wishes.interval > 0 { members += #","min_interval_ms":\#(wishes.interval)"# }
        if let past = life.past { members += #","replay":\#(text(past.wish))"# }
        ask(actor, members, .subscribed(number, life))
    }

    private func randomPast() -> Past.Wish? {
        if random.once(in: 4) { return .retained }
        guard features.contains(.history), random.once(in: 2) else { return nil }
        switch Int.random(in: 0..<3, using: &random) {
        case 0: return .last(Int.random(in: 1...12, using: &random))
        case 1: return .after(Int.random(in: 0...stage.position, using: &random))
        default: return .since(truth.randomElement(using: &random)?.made ?? stage.now.monotonic)
        }
    }

    private func text(_ wish: Past.Wish) -> String {
        switch wish {
        case .retained: return #""retained""#
        case .last(let count): return #"{"last":\#(count)}"#
        case .after(let position): return #"{"after":\#(position)}"#
        case .since(let time):
            var formatter = TimestampFormatter()
            let wall = stage.now.wall - Int64(stage.now.monotonic - time)
            return #"{"since":"\#(formatter.format(wall).text)"}"#
        }
    }

    /// All members want the same; one that comes does, too.
    private func join(_ name: String, _ wishes: inout Life.Wishes, _ actor: Actor) -> Circle {
        let key = Circle.Key(uid: actor.uid, pattern: wishes.pattern, name: name)
        if let circle = living[key] {
            (wishes.type, wishes.uid, wishes.echo) = (circle.wishes.type, circle.wishes.uid, circle.wishes.echo)
            return circle
        }
        let circle = Circle(key: key, wishes: wishes, start: stage.position)
        living[key] = circle
        circles.append(circle)
        return circle
    }

    func unsubscribe(_ actor: Actor) {
        guard let number = actor.asked.keys.sorted().randomElement(using: &random) else { return }
        end(number, of: actor, isCut: true)
        ask(actor, #""op":"unsubscribe","sub":\#(number)"#, .unsubscribed(number))
    }

    /// The subscription ends here, as far as its client has to do with it.
    private func end(_ number: Int, of actor: Actor, isCut: Bool) {
        guard let life = actor.asked.removeValue(forKey: number) else { return }
        life.end(at: stage.position, isCut: isCut)
        guard let circle = life.circle else { return }
        let isLast = !actors.contains { $0.asked.values.contains { $0.circle === circle } }
        guard isLast else { return }
        living[circle.key] = nil
        circle.end(at: stage.position, isCut: isCut)
    }

    /// All that waits for it comes, and then nothing more.
    func bye(_ actor: Actor) {
        if let will = actor.will { model.neverMake(will) }
        actor.will = nil
        actor.saidBye = true
        for number in actor.asked.keys.sorted() { end(number, of: actor, isCut: false) }
        ask(actor, #""op":"bye""#, .ok(piece: nil))
    }

    /// Its connection ends, whatever waits for it.
    func leave(_ actor: Actor) {
        listen(to: actor)
        let isServed = !actor.client.isBlocked && !actor.isInsideLine && actor.awaited.isEmpty
        if !isServed { cut(actor) }
        for number in actor.asked.keys.sorted() { end(number, of: actor, isCut: true) }
        actors.removeAll { $0 === actor }
        if let will = actor.will { model.makeWill(will) }
        if random.once(in: 3) { stage.deafen(actor.client) }
        stage.disconnect(actor.client)
    }

    /// What it had not read is lost: its lives are not whole. To a group may be lost what a member had begun to read,
    /// gaps that were on their way to it, and what it was still to get after its `bye`.
    private func cut(_ actor: Actor) {
        let gaps = stage.unsent(to: actor.client).filter { $0.hasPrefix(#"{"op":"gap""#) }
        for life in lives where life.client == actor.number {
            if life.end == .max || actor.saidBye { life.isCut = true }
            if actor.saidBye || actor.isInsideLine || !gaps.isEmpty { life.circle?.isUncertain = true }
        }
    }
}
