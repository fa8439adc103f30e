// Where channels begin of which the store knows nothing: at 0 if they have never had a message, else above all they had.

import NotifyTestSupport
import Testing

@testable import NotifyBroker

@Suite("Channels that the store does not know")
struct UnknownChannelTests {
    private let rules = [ChannelRule.persistent("p.>")]

    private func life(
        _ disk: inout Disk, _ rules: [ChannelRule], channels: Int = 1000
    ) -> Stage {
        let stage = Stage(channelRules: rules, stored: disk.state) { $0.channels = channels }
        disk.write(stage.firstOperations)
        return stage
    }

    private func post(_ channel: String, _ more: String, on stage: Stage, _ disk: inout Disk) -> JSON {
        let client = stage.connect()
        client.send(#"{"op":"post","id":1,"channel":"\#(channel)"\#(more)}"#)
        disk.write(stage.commit())
        return client.read().last ?? .null
    }

    @Test("and that were never posted to have no seq yet, in any life")
    func neverPosted() {
        var disk = Disk()
        let first = life(&disk, rules)
        for channel in ["p.a", "q.a"] { #expect(post(channel, "", on: first, &disk)["seq"].int == 1) }
        let second = life(&disk, rules)
        #expect(post("p.new", #","if_seq":0"#, on: second, &disk)["seq"].int == 1)
        #expect(post("p.a", #","if_seq":0"#, on: second, &disk)["seq"].int == 1, "the conflict says where it stands")
        #expect(post("p.a", #","if_seq":1"#, on: second, &disk)["seq"].int == 2)
        #expect(post("p.other", "", on: second, &disk)["seq"].int == 1)
        #expect(post("q.a", #","if_seq":0"#, on: second, &disk).code == "conflict")
    }

    @Test("because they were forgotten go on above what they had")
    func forgotten() {
        var disk = Disk()
        let first = life(&disk, rules, channels: 4)
        for _ in 0..<5 { _ = post("p.a", "", on: first, &disk) }
        first.advance(seconds: 61)
        first.tick()
        disk.write(first.trim())
        for number in 0..<6 { _ = post("q.\(number)", "", on: first, &disk) }
        #expect(disk.state.channels.isEmpty)
        #expect(post("p.b", #","if_seq":0"#, on: first, &disk)["seq"].int == 5)
        let second = life(&disk, rules)
        #expect(post("p.c", #","if_seq":0"#, on: second, &disk)["seq"].int == 5)
        #expect(post("p.a", #","if_seq":5"#, on: second, &disk)["seq"].int == 6)
    }

    @Test(
        "because they were not persistent go on above all that there was, and it is told that something may be missing")
    func becamePersistent() {
        var disk = Disk()
        let first = life(&disk, [])
        for _ in 0..<3 { _ = post("p.a", "", on: first, &disk) }
        let second = life(&disk, rules)
        #expect(post("p.a", "", on: second, &disk)["seq"].int == Int(Storage.block) + 1)
        let reader = second.connect()
        reader.send(#"{"op":"subscribe","id":1,"channel":"p.>","replay":{"after":2,"epoch":"e1"}}"#)
        #expect(reader.read().map(\.op) == ["ok", "gap", "message", "live"])
    }

    @Test("because nothing was posted on them since they became persistent go on above what they had")
    func reload() {
        var disk = Disk()
        var silent = ChannelRule.noHistory
        silent.pattern = "p.>"
        let first = life(&disk, [silent])
        for _ in 0..<3 { _ = post("p.a", "", on: first, &disk) }
        silent.persist = true
        first.setRules([silent])
        disk.write(first.commit())
        #expect(post("p.b", #","if_seq":0"#, on: first, &disk).code == "conflict")
        let second = life(&disk, [silent])
        #expect(post("p.a", "", on: second, &disk)["seq"].int == 4)
    }

    @Test(
        "are taken for new as long as the same channels are persistent",
        arguments: [
            (["+p.>", "-q"], ["+p.>"], true), (["-q", "+p.>"], ["+p.>"], false), (["+p.>"], ["+p.>", "+q"], false),
            (["+p.>", "+q"], ["+q", "+p.>"], false),
        ])
    func changed(before: [String], after: [String], isSame: Bool) {
        func rules(_ words: [String]) -> [ChannelRule] {
            words.map { word in
                var rule = ChannelRule(pattern: String(word.dropFirst()))
                rule.persist = word.hasPrefix("+")
                return rule
            }
        }
        var disk = Disk()
        _ = life(&disk, rules(before))
        let second = life(&disk, rules(after))
        #expect((post("p.new", #","if_seq":0"#, on: second, &disk).code == "conflict") != isSame)
    }

    /// Channels come, go, become persistent and cease to be; the daemon is killed. No acknowledged number comes twice.
    @Test("never get a number that they had", arguments: 0..<60)
    func numbers(seed: UInt64) {
        var random = SplitMix(state: seed)
        var disk = Disk()
        var asked: [Int: String] = [:]
        var highest: [String: Int] = [:]
        let choices = [
            [ChannelRule.persistent("p.*")], [.persistent("p.*"), .persistent("q.*")], [.noHistory],
            [.persistent("p.1"), .persistent("q.1")],
        ]
        var rules = random.pick(choices)
        for _ in 0..<8 {
            if random.once(in: 3) { rules = random.pick(choices) }
            let stage = life(&disk, rules, channels: 6)
            let client = stage.connect()
            for _ in 0..<Int.random(in: 1...60, using: &random) {
                switch Int.random(in: 0..<12, using: &random) {
                case 0:
                    stage.advance(seconds: 61)
                    stage.tick()
                    if random.once(in: 2) { disk.write(stage.trim()) }
                case 1 where random.once(in: 3):
                    rules = random.pick(choices)
                    stage.setRules(rules)
                case 2: disk.write(stage.commit())
                default:
                    let channel = "\(random.pick(["p", "q"])).\(Int.random(in: 0..<6, using: &random))"
                    asked[asked.count] = channel
                    client.post(channel, more: #","id":\#(asked.count - 1)"#)
                }
                for answer in client.read() {
                    guard let id = answer["id"].int, let channel = asked[id], let number = answer["seq"].int else {
                        Issue.record("\(answer)")
                        continue
                    }
                    #expect(number > highest[channel, default: 0], "\(channel)")
                    highest[channel] = number
                }
            }
        }
        #expect(highest.count > 6)
    }
}
