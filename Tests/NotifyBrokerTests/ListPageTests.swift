// Lists that are longer than one answer: page by page, everything once and in order.

import NotifyTestSupport
import NotifyWire
import Testing

@testable import NotifyBroker

@Suite("Lists of many pages")
struct ListPageTests {
    /// All answers to the question, each with its elements.
    private func pages(_ op: String, _ client: StageClient, match: String? = nil) -> [[JSON]] {
        var pages: [[JSON]] = []
        var after: String?
        repeat {
            let match = match.map { #","match":"\#($0)""# } ?? ""
            let place = after.map { #","after":"\#($0)""# } ?? ""
            client.send(#"{"op":"\#(op)","id":1\#(match)\#(place)}"#)
            let raw = client.readRaw()
            #expect((raw.first?.utf8.count ?? .max) <= 8192)
            let reply = JSON(raw.first ?? "")
            #expect(reply.op == "ok")
            pages.append(reply[op].elements)
            after = reply["next"].text
            #expect((reply["truncated"].bool == true) == (after != nil))
        } while after != nil && pages.count < 1000
        return pages
    }

    @Test("channels come by their names, all of them, also more than are sorted at once")
    func channels() {
        let stage = Stage { $0.lineBytes = 8192 }
        let client = stage.connect()
        let names = (1...400).map { "c.\($0)" }
        for name in names.shuffled() { client.post(name) }
        let pages = pages("channels", client)
        #expect(pages.count > 10)
        #expect(
            pages.flatMap { $0.map { $0["channel"].text } }
                == names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        let some = self.pages("channels", client, match: "c.1")
        #expect(some.map(\.count) == [1])
    }

    @Test("a channel that comes or goes between two pages moves no other")
    func change() {
        let stage = Stage { $0.lineBytes = 8192 }
        let client = stage.connect()
        for number in 100...199 { client.post("c.\(number)") }
        let first = client.ask(#"{"op":"channels","id":1}"#)
        let next = first["next"].text ?? ""
        #expect(first["channels"].elements.last?["channel"].text == next)
        client.post("a")
        client.post("\(next)0")
        let second = client.ask(#"{"op":"channels","id":1,"after":"\#(next)"}"#)
        #expect(second["channels"][0]["channel"].text == "\(next)0")
        // A name that is there no more is a place, too.
        let gone = client.ask(#"{"op":"channels","id":1,"after":"c.1985"}"#)
        #expect(gone["channels"].elements.map { $0["channel"].text } == ["c.199"])
    }

    @Test("clients come by their numbers, whatever places of others they have")
    func clients() {
        let stage = Stage { $0.lineBytes = 8192 }
        var clients = (1...200).map { _ in stage.connect() }
        for index in stride(from: 150, to: 0, by: -3) { stage.disconnect(clients.remove(at: index)) }
        clients += (1...50).map { _ in stage.connect() }
        let pages = pages("clients", clients[0])
        #expect(pages.count > 5)
        #expect(pages.flatMap { $0.map { $0["client"].int ?? 0 } } == clients.map { Int($0.number) })
    }

    @Test("subscriptions come by client and number, also when one client has more than a page")
    func subscriptions() {
        let stage = Stage { $0.lineBytes = 8192 }
        let clients = (1...4).map { _ in stage.connect() }
        for (index, client) in clients.enumerated() where index != 2 {
            for number in (1...120).shuffled() {
                client.send(
                    #"{"op":"subscribe","channel":"\#(number % 2 == 0 ? "even" : "odd").\#(number)","sub":\#(number)}"#)
            }
        }
        let all = [1, 2, 4].flatMap { client in (1...120).map { [client, $0] } }
        let told = pages("subscriptions", clients[0]).flatMap {
            $0.map { [$0["client"].int ?? 0, $0["sub"].int ?? 0] }
        }
        #expect(told == all)
        let even = pages("subscriptions", clients[0], match: "even.*").flatMap { $0.map { $0["sub"].int ?? 0 } }
        #expect(even == (1...3).flatMap { _ in (1...60).map { $0 * 2 } })
    }

    @Test("subscriptions are asked for by what they have in common with the pattern, page by page")
    func matching() {
        let stage = Stage { $0.lineBytes = 8192 }
        let client = stage.connect()
        let kinds = ["q.cart", "q.*", "q.>", ">", "*.cart", "q", "q.carts", "q.cart.new", "$notifyd.>"]
        for (index, kind) in (0..<20).flatMap({ _ in kinds }).enumerated() {
            client.send(#"{"op":"subscribe","channel":"\#(kind)","sub":\#(index + 1)}"#)
        }
        let found = { (match: String) in
            let pages = self.pages("subscriptions", client, match: match)
            #expect(pages.count > 1)
            let numbers = pages.flatMap { $0.map { $0["sub"].int ?? 0 } }
            #expect(numbers == numbers.sorted())
            return Dictionary(grouping: numbers) { kinds[($0 - 1) % kinds.count] }.filter { $0.value.count == 20 }.keys
        }
        #expect(Set(found("q.cart")) == ["q.cart", "q.*", "q.>", ">", "*.cart"])
        #expect(Set(found("q.*")) == ["q.cart", "q.*", "q.>", ">", "*.cart", "q.carts"])
        #expect(Set(found(">")) == Set(kinds).subtracting(["$notifyd.>"]))
        #expect(Set(found("q.cart.*")) == ["q.>", ">", "q.cart.new"])
    }

    @Test("of others they are listed only to whom all are, whatever they have in common with the pattern")
    func ownMatching() {
        let stage = Stage(access: AccessRules([.allow(to: Selector(uid: 1)), .allow(.listen, to: Selector(uid: 2))]))
        let (observer, guest) = (stage.connect(uid: 1), stage.connect(uid: 2))
        for client in [observer, guest] { client.subscribe("q.*") }
        #expect(pages("subscriptions", guest, match: "q.cart").map { $0.map { $0["uid"].int } } == [[2]])
        #expect(pages("subscriptions", observer, match: "q.cart").map { $0.map { $0["uid"].int } } == [[1, 2]])
    }

    @Test(
        "a place that no answer has named is refused",
        arguments: [
            ("clients", "x"), ("clients", ""), ("clients", "1.2"), ("subscriptions", "1"), ("subscriptions", "1.x"),
        ])
    func refused(op: String, place: String) {
        let stage = Stage()
        let client = stage.connect()
        let reply = client.ask(#"{"op":"\#(op)","id":1,"after":"\#(place)"}"#)
        #expect(reply.code == "invalid_field")
        #expect(reply["message"].text == "field 'after': expected what 'next' of the answer before said")
    }

    @Test("a place behind all is the end", arguments: [("clients", "9"), ("subscriptions", "9.1"), ("channels", "z")])
    func end(op: String, place: String) {
        let stage = Stage()
        let client = stage.connect()
        client.subscribe("a")
        let reply = client.ask(#"{"op":"\#(op)","id":1,"after":"\#(place)"}"#)
        #expect(reply[op] == .array([]))
        #expect(reply["next"] == .null)
    }
}

@Suite("The first of a crowd")
struct SelectionTests {
    @Test("are chosen in order, as many as are wanted", arguments: [0, 1, 4, 5, 6, 9, 10, 11, 100])
    func chosen(count: Int) {
        var selection = Selection<Int>(5) { $0 < $1 }
        for number in (0..<count).shuffled() { selection.offer(number) }
        #expect(selection.take() == Array((0..<count).prefix(5)))
        #expect(selection.isCut == (count > 5))
    }
}
