// A second life of the broker with posts that the first one was to make later.

import NotifyTestSupport
import Testing

@testable import NotifyBroker

@Suite("Posts that an earlier life was to make")
struct RestoredScheduleTests {
    private static let second: Int64 = 1_000_000_000

    /// A life in which these posts were accepted at its beginning, a line each.
    private func disk(uid: UInt32 = 7, _ lines: String...) -> Disk {
        let stage = Stage(channelRules: [.persistent("p.>")], stored: StoredState(epoch: "e1"))
        var disk = Disk(stage.firstOperations)
        let poster = stage.connect(uid: uid, pid: 70)
        for line in lines {
            poster.send(line)
            disk.write(stage.commit())
        }
        return disk
    }

    /// A life that begins so many milliseconds after the first.
    private func life(
        _ disk: Disk, after milliseconds: Int64, rules: [ChannelRule] = [.persistent("p.>")],
        _ change: (inout Limits) -> Void = { _ in }
    ) -> Stage {
        Stage(
            channelRules: rules, stored: disk.state, wall: 1_000_000_000 * Self.second + milliseconds * 1_000_000,
            change)
    }

    private func post(_ payload: Int, _ more: String, channel: String = "p.a") -> String {
        #"{"op":"post","channel":"\#(channel)","payload":\#(payload),\#(more)}"#
    }

    @Test(
        "are made at the time at which they were due, and once",
        arguments: [#""delay_ms":5000"#, #""at":"2001-09-09T01:46:45Z""#, #""coalesce_ms":5000"#])
    func due(more: String) {
        var disk = disk(post(1, more))
        let stage = life(disk, after: 2000)
        disk.write(stage.firstOperations)
        let reader = stage.connect()
        reader.subscribe("p.*")
        stage.pass(milliseconds: 2999)
        #expect(stage.takeOperations() == nil)
        stage.pass(milliseconds: 1)
        disk.write(stage.commit())
        #expect(reader.read().payloads == [1])
        #expect(stage.deadline == nil || stage.pins == 0)
        let third = life(disk, after: 9000)
        third.pass(milliseconds: 10_000)
        #expect(third.takeOperations() == nil)
    }

    @Test("and of which the message is not on disk are made again, with a number that nobody has seen")
    func again() {
        var disk = disk(post(1, #""delay_ms":1000"#))
        for _ in 0..<3 {
            let stage = life(disk, after: 2000)
            disk.write(stage.firstOperations)
            stage.tick()
            #expect(stage.takeOperations()?.messages.count == 1)
        }
        let stage = life(disk, after: 3000)
        let start = disk.state.position
        stage.tick()
        #expect(stage.commit().messages.map(\.position) == [start + 1])
    }

    @Test("and whose time has passed are made at once, in the order of their times, before what comes due")
    func overdue() {
        let disk = disk(
            post(4, #""delay_ms":4000"#), post(2, #""at":"2001-09-09T01:46:42Z""#), post(5, #""delay_ms":4000"#),
            post(1, #""coalesce_ms":1000"#), post(3, #""delay_ms":3000"#), post(6, #""delay_ms":5000"#),
            post(7, #""delay_ms":5001"#), post(8, #""at":"2001-09-09T01:46:46Z""#))
        let stage = life(disk, after: 5000)
        #expect(stage.secondsToDeadline == 0)
        stage.advance(milliseconds: 1)
        stage.tick()
        stage.commit()
        let reader = stage.connect()
        reader.send(#"{"op":"subscribe","id":1,"channel":"p.a","replay":{"last":9}}"#)
        #expect(reader.read().payloads == [1, 2, 3, 4, 5, 6, 7])
        stage.pass(milliseconds: 999)
        stage.commit()
        #expect(reader.read().payloads == [8])
    }

    @Test("go on by the clock that nobody sets, after that")
    func clocks() {
        let stage = life(disk(post(1, #""delay_ms":5000"#), post(2, #""at":"2001-09-09T01:46:45Z""#)), after: 0)
        let reader = stage.connect()
        reader.subscribe("p.a")
        stage.now.wall += 3600 * Self.second
        stage.pass(milliseconds: 1000)
        stage.commit()
        #expect(reader.read().payloads == [2])
        stage.pass(milliseconds: 4000)
        stage.commit()
        #expect(reader.read().payloads == [1])
    }

    @Test("live from when they were due: what would be dead by now is told as expired", arguments: [999, 1000])
    func timeToLive(milliseconds: Int64) {
        let disk = disk(post(1, #""delay_ms":1000,"ttl_ms":1000,"retain":true"#))
        let stage = life(disk, after: 1000 + milliseconds)
        stage.tick()
        let operations = stage.commit()
        #expect(operations.messages.map(\.expires) == [1_000_000_002 * Self.second])
        let reader = stage.connect()
        reader.send(#"{"op":"subscribe","id":1,"channel":"p.a","replay":{"last":9}}"#)
        let isAlive = milliseconds < 1000
        #expect(reader.read().map(\.op) == ["ok", isAlive ? "message" : "gap", "live"])
        #expect((reader.ask(#"{"op":"get","id":2,"channel":"p.a"}"#)["message"] != .null) == isAlive)
    }

    @Test("are from who posted them, not from who has that client's number now")
    func sender() {
        let disk = disk(post(1, #""delay_ms":1000"#), post(2, #""delay_ms":2000"#))
        let stage = life(disk, after: 500)
        let client = stage.connect(uid: 8, pid: 80)
        client.subscribe("p.a", #","echo":false"#)
        let reader = stage.connect(uid: 9)
        reader.subscribe("p.a")
        client.post("p.a", "0")
        stage.pass(milliseconds: 500)
        client.post("p.a", "3")
        stage.pass(milliseconds: 1000)
        stage.commit()
        #expect(client.read().payloads == [1, 2])
        let lines = reader.read().messages
        #expect(lines.map { $0["payload"].int } == [0, 1, 3, 2])
        #expect(lines.map { $0["from"]["uid"].int } == [8, 7, 8, 7])
        #expect(lines.map { $0["from"]["pid"].int } == [80, 70, 80, 70])
        #expect(lines.map { $0["from"]["client"].int } == [1, 1, 1, 1])
    }

    @Test("are cancelled by their number, by their own uid alone, for ever")
    func cancel() {
        var disk = disk(post(1, #""delay_ms":5000"#), post(2, #""at":"2001-09-09T01:46:45Z""#))
        let stage = life(disk, after: 1000)
        #expect(stage.connect(uid: 8).ask(#"{"op":"cancel","id":1,"schedule":1}"#).code == "unknown_schedule")
        let client = stage.connect(uid: 7)
        for number in 1...2 { client.send(#"{"op":"cancel","id":\#(number),"schedule":\#(number)}"#) }
        disk.write(stage.commit())
        #expect(client.read().map(\.op) == ["ok", "ok"])
        let third = life(disk, after: 9000)
        third.pass(milliseconds: 1000)
        #expect(third.takeOperations() == nil)
    }

    @Test("keep their numbers for themselves, and those of the ones that were given up are not given again")
    func numbers() {
        let disk = disk(
            post(1, #""delay_ms":5000"#), post(2, #""delay_ms":5000"#, channel: "q.a"), post(3, #""coalesce_ms":5000"#))
        let stage = life(disk, after: 1000)
        #expect(
            stage.firstOperations
                == [.reserve(position: 2 * Storage.block, schedule: 2 * Storage.block)])
        let reply = stage.connect(uid: 7).ask(#"{"op":"post","id":1,"channel":"q.a","delay_ms":1}"#)
        #expect(reply["schedule"].int == Int(Storage.block) + 1)
    }

    @Test("count for the limits, of their uid and of all")
    func limits() {
        let disk = disk(uid: 1, post(1, #""delay_ms":5000"#), post(2, #""coalesce_ms":5000"#))
        let stage = life(disk, after: 1000) {
            $0.scheduledPostsPerUID = 3
            $0.scheduledPosts = 11
        }
        let (one, two) = (stage.connect(uid: 1), stage.connect(uid: 2))
        let line = #"{"op":"post","id":1,"channel":"q.a","delay_ms":9000}"#
        #expect(one.ask(line).op == "ok")
        #expect(one.ask(line).message.contains("'scheduled_posts_per_uid' of uid 1 is 3"))
        for _ in 1...2 { #expect(two.ask(line).op == "ok") }
        #expect(two.ask(line).message.contains("'scheduled_posts' of the daemon is 11, and uid 2 has its share"))
        stage.pass(milliseconds: 4000)
        stage.commit()
        for _ in 1...2 { #expect(one.ask(line).op == "ok") }
        #expect(one.ask(line).code == "quota_exceeded")
        let bytes = life(disk, after: 1000).statistics["scheduled_bytes"].int ?? 0
        #expect(bytes > 2 * 256)
        let full = life(disk, after: 1000) { $0.scheduledBytes = bytes + 3 * 256 }
        #expect(full.connectAndAsk(line).message.contains("'scheduled_bytes'"))
        #expect(life(disk, after: 1000) { $0.scheduledBytes = bytes + 3 * 512 }.connectAndAsk(line).op == "ok")
    }

    @Test("are replaced and overtaken like those of this life")
    func coalesced() {
        let disk = disk(post(1, #""coalesce_ms":5000"#), post(2, #""coalesce_ms":5000"#, channel: "p.b"))
        let stage = life(disk, after: 1000)
        let client = stage.connect()
        client.subscribe("p.*")
        client.post("p.a", "3", more: #","id":3,"coalesce_ms":9000"#)
        client.post("p.b", "4")
        stage.commit()
        let lines = client.read()
        #expect(lines.payloads == [2, 4])
        #expect(lines.first { $0["id"].int == 3 }?["replaced"].bool == true)
        stage.pass(milliseconds: 3999)
        #expect(stage.takeOperations() == nil)
        stage.pass(milliseconds: 1)
        stage.commit()
        #expect(client.read().payloads == [3])
    }

    @Test("are known by their dedup string: who asks again is answered as the first time")
    func keys() {
        let lines = [#""delay_ms":5000,"dedup":"k""#, #""coalesce_ms":5000,"dedup":"l""#].map { post(1, $0) }
        var disk = disk(lines[0], lines[1])
        let stage = life(disk, after: 1000)
        disk.write(stage.firstOperations)
        let client = stage.connect(uid: 7)
        for line in lines { client.send(#"{"id":1,"# + line.dropFirst()) }
        #expect(stage.takeOperations() == nil)
        #expect(
            client.read() == [
                JSON(#"{"op":"ok","id":1,"schedule":1,"duplicate":true}"#),
                JSON(#"{"op":"ok","id":1,"held":true,"replaced":false,"duplicate":true}"#),
            ])
        stage.pass(milliseconds: 4000)
        #expect(stage.commit().messages.count == 2)
    }

    @Test("on a channel that is persistent no longer are made by this life or not at all")
    func changedRules() {
        let disk = disk(post(1, #""delay_ms":5000"#), post(2, #""delay_ms":1000"#), post(3, #""coalesce_ms":5000"#))
        let stage = life(disk, after: 2000, rules: [.persistent("x.>")])
        #expect(stage.firstOperations.released.sorted() == [1, 2, 3])
        let reader = stage.connect()
        reader.subscribe("p.a")
        stage.pass(milliseconds: 3000)
        #expect(reader.read().payloads.sorted() == [1, 2, 3])
        #expect(stage.takeOperations() == nil)
    }

    @Test("that nobody can read any more are left out")
    func unreadable() throws {
        var disk = disk(post(1, #""delay_ms":5000"#))
        var broken = try #require(disk.state.posts.first)
        (broken.number, broken.line) = (2, Array("{".utf8))
        disk.write([.hold(broken)])
        #expect(life(disk, after: 0).firstOperations.released == [2])
    }

    @Test("of a crowd are all made, in turns with others, once each")
    func crowd() {
        let stage = Stage(channelRules: [.persistent("p.>")], stored: StoredState(epoch: "e1"))
        let poster = stage.connect()
        let pad = String(repeating: "x", count: 3000)
        stage.wakeUp {
            for number in 0..<5000 { poster.post("p.a", "\"\(number) \(pad)\"", more: #","delay_ms":1000"#) }
        }
        var disk = Disk(stage.commit())
        #expect(disk.state.posts.count == 5000)
        let second = life(disk, after: 2000)
        disk.write(second.firstOperations)
        var pieces = 0
        while let seconds = second.secondsToDeadline, seconds <= 0 {
            second.tick()
            disk.write(second.commit())
            pieces += 1
            if pieces > 100 { break }
        }
        #expect(pieces > 1 && pieces < 100)
        #expect(disk.state.posts.isEmpty)
        #expect(disk.state.channels.first?.sequence == 5000)
    }

    /// The daemon is killed at any moment; a client repeats what was not acknowledged. Whatever it asked for is made once.
    @Test("are made once each, however often and whenever it ends", arguments: 0..<40)
    func killed(seed: UInt64) {
        var random = SplitMix(state: seed)
        var disk = Disk()
        var made: [Int: Int] = [:]
        var acknowledged = 0
        var milliseconds: Int64 = 0
        let count = 60
        for round in 0... {
            let stage = life(disk, after: milliseconds)
            disk.write(stage.firstOperations)
            let client = stage.connect(uid: 7)
            var next = acknowledged + 1
            let isLast = round > 12
            let steps = isLast ? 200 : Int.random(in: 1...25, using: &random)
            living: for _ in 0..<steps {
                switch Int.random(in: 0..<4, using: &random) {
                case 0...1 where next <= count:
                    let kind = ["delay_ms", "coalesce_ms"][next % 2]
                    let time = Int.random(in: 0...40, using: &random)
                    client.send(
                        #"{"op":"post","id":\#(next),"channel":"p.a","subject":"\#(next)","payload":\#(next),"dedup":"\#(next)","\#(kind)":\#(time)}"#
                    )
                    next += 1
                case 2: stage.pass(milliseconds: UInt64.random(in: 0...10, using: &random))
                default:
                    guard let operations = stage.takeOperations() else { break }
                    // Killed while it is written: it is on disk, or not.
                    let ends = !isLast && random.once(in: 6)
                    if !ends || random.once(in: 2) { disk.write(operations) }
                    if ends { break living }
                    stage.settle()
                    for line in client.read() where line.op == "ok" { acknowledged = line["id"].int ?? 0 }
                }
            }
            milliseconds += (stage.now.wall - (1_000_000_000 * Self.second + milliseconds * 1_000_000)) / 1_000_000
            milliseconds += Int64.random(in: 0...20, using: &random)
            if isLast {
                stage.pass(milliseconds: 100)
                disk.write(stage.commit())
                break
            }
        }
        for message in disk.state.channels.first?.history ?? [] {
            let payload = JSON(String(decoding: [UInt8(ascii: "{")] + message.body, as: UTF8.self))["payload"].int ?? 0
            made[payload, default: 0] += 1
        }
        #expect(acknowledged == count)
        #expect(made == Dictionary(uniqueKeysWithValues: (1...count).map { ($0, 1) }))
        #expect(disk.state.posts.isEmpty)
    }
}
