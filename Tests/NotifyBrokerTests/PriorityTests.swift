// Who comes first among those that wait, and who is dropped first.

import NotifyTestSupport
import Testing

@testable import NotifyBroker

@Suite("Priorities")
struct PriorityTests {
    let stage = Stage()
    let poster: StageClient
    let listener: StageClient

    init() {
        poster = stage.connect()
        listener = stage.connect()
    }

    private func subscribe(_ buffer: String = "", _ pattern: String = "a") {
        listener.subscribe(pattern, buffer.isEmpty ? "" : #","buffer":{\#(buffer)}"#)
        listener.block()
    }

    /// One message for each letter, in this order: payloads are 1, 2, …
    private func post(_ letters: String) {
        for (index, letter) in letters.enumerated() {
            let priority = ["l": "low", "n": "normal", "h": "high"][letter] ?? "?"
            poster.post("a", "\(index + 1)", more: #","priority":"\#(priority)""#)
        }
    }

    private func read() -> [JSON] {
        listener.unblock()
        return listener.read()
    }

    @Test(
        "bring the higher ones forward and keep the order of equals",
        arguments: [
            ("nnn", [1, 2, 3]), ("hhh", [1, 2, 3]), ("lll", [1, 2, 3]), ("lnh", [3, 2, 1]), ("hnl", [1, 2, 3]),
            ("lnhlnh", [3, 6, 2, 5, 1, 4]), ("nlhhln", [3, 4, 1, 6, 2, 5]), ("lh", [2, 1]), ("nh", [2, 1]),
            ("ln", [2, 1]), ("hlhnl", [1, 3, 4, 2, 5]),
        ])
    func order(letters: String, expected: [Int]) {
        subscribe()
        post(letters)
        #expect(read().payloads == expected)
        #expect(stage.pins == 0)
    }

    @Test("stand in the message if they are not normal, also when it is kept")
    func line() {
        listener.subscribe("a")
        post("lnh")
        #expect(listener.read().map { $0["priority"].text } == ["low", nil, "high"])
        poster.post("a", "4", more: #","priority":"high","retain":true"#)
        let kept = poster.ask(#"{"op":"get","id":1,"channel":"a"}"#)["message"]
        #expect(kept["priority"].text == "high" && kept["retain"].bool == true)
        // Nothing of it sticks to the next message.
        poster.post("a", "5")
        #expect(listener.read().map { $0["priority"].text } == ["high", nil])
    }

    @Test("overtake only what waits, not what a peer that reads was sent")
    func reading() {
        listener.subscribe("a")
        stage.wakeUp { post("lnhlnh") }
        #expect(listener.read().payloads == Array(1...6))
    }

    @Test("count among what the kernel did not take, too", arguments: [0, 1, 100])
    func postponed(room: Int) {
        listener.subscribe("a")
        listener.room = room
        stage.wakeUp { post("lnhlnh") }
        listener.unblock()
        // A line that has begun to be sent is the first.
        #expect(listener.read().payloads == (room == 0 ? [3, 6, 2, 5, 1, 4] : [1, 3, 6, 2, 5, 4]))
    }

    @Test(
        "of a full queue the oldest of the lowest goes first, and is missing in its place",
        arguments: [
            ("lnhl", "3, 2, gap 1, 4"), ("lnhn", "3, 2, gap 1, 4"), ("hhhn", "1, 2, 3, gap 4"),
            ("hhhl", "1, 2, 3, gap 4"), ("hhhh", "gap 1, 2, 3, 4"), ("nlnh", "4, 1, 3, gap 2"),
            ("llnn", "3, 4, gap 1, 2"), ("lllhhh", "4, 5, gap 1-3, 6"), ("hnnnn", "1, gap 2-3, 4, 5"),
            ("nnnlll", "1, 2, 3, gap 4-6"),
        ])
    func dropped(letters: String, expected: String) {
        subscribe(#""messages":3"#)
        post(letters)
        let lines = read()
        let told = lines.map { line in
            guard line.op == "gap" else { return "\(line["payload"].int ?? -1)" }
            let (from, to) = (line["from"].int ?? -1, line["to"].int ?? -1)
            #expect(line["count"].int == to - from + 1)
            return from == to ? "gap \(from)" : "gap \(from)-\(to)"
        }
        #expect(told.joined(separator: ", ") == expected)
        #expect(stage.pins == 0)
    }

    @Test("a message that nothing of its rank or below makes room for is lost itself, and the post says so")
    func newcomer() {
        subscribe(#""messages":2"#)
        post("hh")
        let receipt = poster.ask(#"{"op":"post","id":1,"channel":"a","priority":"low"}"#)
        #expect(receipt["matched"].int == 1 && receipt["dropped"].int == 1)
        let lines = read()
        #expect(lines.payloads == [1, 2])
        #expect(lines.last?.op == "gap" && lines.last?["from"].int == 3)
    }

    @Test("a gap told for one is not overtaken by its message")
    func gapsBefore() {
        subscribe(#""messages":2"#)
        post("nnnn")
        // The gap's line is with the kernel, and part of the next.
        listener.makeRoom(120)
        poster.post("a", "5", more: #","priority":"high""#)
        let lines = read()
        #expect(lines.map(\.op) == ["gap", "message", "message", "message"])
        #expect(lines.payloads == [3, 5, 4])
        #expect(lines.gaps.first?["to"].int == 2)
    }

    @Test("of several subscriptions are each one's own, and answers keep their order")
    func several() {
        listener.subscribe("a")
        listener.subscribe("a", #","sub":2,"buffer":{"messages":1}"#)
        listener.block()
        stage.wakeUp {
            post("n")
            listener.send(#"{"op":"ping","id":"first"}"#)
            poster.post("a", "2", more: #","priority":"high""#)
            listener.send(#"{"op":"ping","id":"second"}"#)
        }
        let lines = read()
        #expect(lines.filter { $0["sub"].int == 1 }.payloads == [2, 1])
        #expect(lines.filter { $0["sub"].int == 2 }.payloads == [2])
        #expect(lines.filter { $0.op == "ok" }.map { $0["id"].text } == ["first", "second"])
    }

    @Test("latest keeps the last of each subject, whatever its priority")
    func latest() {
        subscribe(#""policy":"latest""#)
        post("hln")
        #expect(read().payloads == [3])
        #expect(stage.pins == 0)
    }

    @Test("work in batches and in delayed posts")
    func otherWays() {
        subscribe()
        poster.send(
            #"{"op":"batch","posts":[{"channel":"a","payload":1},{"channel":"a","payload":2,"priority":"high"}]}"#)
        poster.post("a", "3", more: #","priority":"high","delay_ms":5"#)
        stage.pass(milliseconds: 5)
        #expect(read().payloads == [2, 3, 1])
    }
}
