// notifyd-protocol(7) against the tables of the wire, and against what a daemon answers.

import Foundation
import NotifyTestSupport
import NotifyWire
import Testing

@Suite("notifyd-protocol(7)")
struct ProtocolPageTests {
    private let page: ManualPage

    init() throws { page = try ManualPage("notifyd-protocol.7") }

    /// What stands in front of the brackets of a head, and what in them.
    private static func parts(_ head: String) -> (words: [String], inBrackets: [String]) {
        let halves = head.split(separator: "[", maxSplits: 1)
        let optional = halves.count > 1 ? halves[1].filter { $0 != "]" } : ""
        return (
            (halves.first ?? "").split(separator: " ").map(String.init), optional.split(separator: " ").map(String.init)
        )
    }

    private static func names(_ fields: FieldSet) -> Set<String> {
        Set(Field.allCases.filter { fields.contains($0) }.map { "\($0.name)" })
    }

    @Test("has each op with its fields, those that are needed apart")
    func ops() throws {
        let told = page.section("OPS").items.map { Self.parts($0.head) }
        #expect(Set(told.compactMap(\.words.first)) == Set(Op.allCases.map { "\($0.name)" }))
        #expect(told.count == Op.allCases.count)
        for op in Op.allCases {
            let parts = try #require(told.first { $0.words.first == "\(op.name)" }, "\(op.name)")
            #expect(Set(parts.words.dropFirst()) == Self.names(op.required), "\(op.name)")
            #expect(Set(parts.inBrackets) == Self.names(op.fields.subtracting(op.required)), "\(op.name)")
        }
    }

    @Test("has each field, and no others")
    func fields() {
        let told = page.section("FIELDS OF REQUESTS").items.map { $0.head.prefix { $0 != " " } }
        #expect(told.count == Field.allCases.count)
        #expect(Set(told.map(String.init)) == Set(Field.allCases.map { "\($0.name)" }))
    }

    @Test("has the bounds of each field")
    func bounds() throws {
        let daemon = try TestDaemon()
        let client = try RawClient(daemon.socketPath)
        for item in page.section("FIELDS OF REQUESTS").items {
            let name = String(item.head.prefix { $0 != " " })
            let field = try #require(Field.allCases.first { "\($0.name)" == name })
            let op = Op.allCases.first { $0.fields.contains(field) } ?? .ping
            var numbers: Set<Substring> = []
            for value in ["-1", "\"\""] where name != "op" {
                try client.send(
                    "{\"op\":\"\(op.name)\",\"\(name)\":\(value)\(Self.others(op, field))}",
                    "{\"op\":\"ping\",\"id\":1}")
                let lines = try client.lines { $0.op == "ok" && $0.integer("id") == 1 }
                // Its message has an example.
                for line in lines where line.code == "invalid_field" && name != "at" {
                    #expect(line.message.hasPrefix("field '\(name)': expected"), "\(line)")
                    numbers.formUnion(line.message.matches(of: /\d+/).map(\.output))
                }
            }
            #expect(Set(item.head.matches(of: /\d+/).map(\.output)) == numbers, "\(item.head)")
        }
    }

    /// The fields that the op needs besides this one.
    private static func others(_ op: Op, _ field: Field) -> String {
        let values = [
            "channel": "\"a\"", "posts": "[]", "sub": "1", "version": "1", "schedule": "1", "right": "\"post\"",
        ]
        let needed = Field.allCases.filter { op.required.contains($0) && $0 != field }
        return needed.map { ",\"\($0.name)\":\(values["\($0.name)"] ?? "1")" }.joined()
    }

    @Test("has each code of an error, and no others")
    func codes() {
        let told = page.section("ERROR CODES").items.map(\.head)
        #expect(told.count == ErrorCode.allCases.count)
        #expect(Set(told) == Set(ErrorCode.allCases.map(\.rawValue)))
    }

    @Test("has the policies of a buffer, the default first")
    func policies() {
        #expect(page.section("Queues").items.map(\.head) == BufferPolicy.allCases.map { "\($0.name)" })
    }

    @Test("has the rights")
    func rights() throws {
        let item = try #require(page.section("FIELDS OF REQUESTS").items.first { $0.head.hasPrefix("right") })
        let words = item.body.prefix { $0 != ";" }.matches(of: /[a-z]+/).map { String($0.output) }
        #expect(words.filter { $0 != "or" } == Right.allCases.map { "\($0.name)" })
    }

    @Test("has the reasons of gaps that the daemon knows")
    func reasons() throws {
        let counted = try Checkout.text(of: "Sources/NotifyBroker/GapList.swift").matches(of: /case \.\w+: "(\w+)"/)
        var reasons = Set(counted.map { String($0.1) })
        #expect(reasons.count == 3)
        reasons.formUnion(try Environment.strings(/appendGap\([^"]*?reason: "(\w+)"/, in: ["NotifyBroker"]))
        #expect(Set(page.section("LINES FROM THE DAEMON").items(atDepth: 2).map(\.head)) == reasons)
    }

    @Test("has the events of a trace, and what becomes of a message in it")
    func trace() throws {
        let channels = page.section("CHANNELS OF THE DAEMON")
        var events = try Environment.strings(/(?:traceEnd|appendPost)\("(\w+)"/, in: ["NotifyBroker"])
        events.formUnion(try Environment.strings(/\{\\"event\\":\\"(\w+)\\"/, in: ["NotifyBroker"]))
        #expect(events.count > 3)
        #expect(Set(channels.items(atDepth: 2).map(\.head)) == events)
        let outcomes = try Checkout.text(of: "Sources/NotifyBroker/TraceEvent.swift").matches(of: /case \.\w+: "(\w+)"/)
        let told = try #require(channels.text.firstMatch(of: /An outcome is ([a-z_, ]+)\./)).1
        #expect(told.matches(of: /[a-z_]+/).map(\.output).filter { $0 != "or" } == outcomes.map(\.1))
    }

    @Test("has the daemon's own channels")
    func ownChannels() throws {
        let channels = try Environment.strings(/publish\("(\$notifyd[a-z.]+)"/, in: ["NotifyBroker"])
        #expect(channels.count > 3)
        let told = Set(page.section("CHANNELS OF THE DAEMON").items.map(\.head))
        #expect(told == channels.union(["$notifyd.trace"]))
    }

    @Test("says nothing that is not in the long description")
    func longDescription() throws {
        let text = try Checkout.text(of: "Sources/Notify/Notify.docc/Protocol.md")
        let known = Set(text.matches(of: /[a-z][a-z_]+/).map(\.output))
        let told = page.words(of: "Cm").flatMap { $0.split(separator: ".") }.filter {
            $0.wholeMatch(of: /[a-z_]+/) != nil
        }
        #expect(told.count > 100)
        #expect(Set(told).subtracting(known) == [])
    }
}
