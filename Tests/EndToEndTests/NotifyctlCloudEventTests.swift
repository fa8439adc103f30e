// `--output=cloudevents`: what the built tool prints are CloudEvents, by the judgement of CloudEventCheck.

import Foundation
import NotifyTestSupport
import Testing

@Suite("notifyctl listen --output=cloudevents", .timeLimit(.minutes(2)))
struct NotifyctlCloudEventTests {
    @Test("has an event a line, with the payload byte for byte")
    func events() async throws {
        let bench = try await ToolBench()
        let listener = try await bench.listen(">", "--output=cloudevents", "-n7")
        let noncharacters = String(decoding: [0xFFFE, 0xD83F, 0xDFFF, 0xFDD0], as: UTF16.self)
        let posts: [[String]] = [
            ["shop.cart", #"{"total": 19.980, "total":2}"#, "-tCartDidChange", "-scart-42"],
            ["numbers", "12345678901234567890.10"], ["nothing"],
            ["text", "--text", #"","data":1"#, "-t", #"a"b\c"#, "-s", #""id":"#],
            ["text", #""\u00e9""#, "-t", "é😀\u{2028}", "-s", "a\(noncharacters)b"],
            ["a@/+=:-_.0", "true"], ["list", "[1,null]", "--retain"],
        ]
        for post in posts { #expect(await bench.run(["post"] + post).status == 0) }
        let lines = await listener.output.rest()
        #expect(lines.map { CloudEventCheck.faults(of: $0) } == Array(repeating: [], count: posts.count))
        let payloads = lines.map { $0.suffix(from: $0.firstRange(of: #","data":"#)?.upperBound ?? $0.endIndex) }
        #expect(
            payloads == [
                #"{"total": 19.980, "total":2}}"#, "12345678901234567890.10}", "null}", #""\",\"data\":1"}"#,
                #""\u00e9"}"#, "true}", "[1,null]}",
            ])
        let events = lines.map { JSON($0) }
        #expect(
            events.map { $0["type"].text }.prefix(5) == [
                "CartDidChange", "notifyd.message", "notifyd.message", #"a"b\c"#, "é😀\u{2028}",
            ])
        #expect(events.map { $0["subject"] }.prefix(3) == [.string("cart-42"), .null, .null])
        #expect(events[4]["subject"].text == "a\u{FFFD}\u{FFFD}\u{FFFD}b")
        #expect(events.map { $0["seq"].text } == ["1", "1", "1", "1", "2", "1", "1"])
        #expect(events.map { $0["channel"].text } == posts.map(\.first))
        #expect(events[0]["uid"].text == "\(getuid())")
        #expect(events.allSatisfy { $0["datacontenttype"].text == "application/json" && $0["replay"] == .null })
        // Everybody who gets the message, now or later, gets the same event.
        let later = await bench.run("get", "list", "--output=cloudevents")
        #expect(later.output.map { CloudEventCheck.faults(of: $0) } == [[]])
        #expect(later.output == [lines[6]])
    }

    @Test("tells the daemon, the channel and the message, the same for everybody")
    func source() async throws {
        let bench = try await ToolBench()
        let link = bench.directory.path("a link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: bench.socket)
        #expect(await bench.run("post", "a+b=c", "1", "--retain").status == 0)
        let found = await bench.run("--socket", link, "listen", "*", "--replay=retained", "-n1", "--output=cloudevents")
        let event = JSON(try #require(found.output.first))
        let path = URL(filePath: bench.socket).resolvingSymlinksInPath().path
        let address = try #require(URLComponents(string: event["source"].text ?? ""))
        #expect(address.scheme == "notifyd")
        #expect(address.host == ProcessInfo.processInfo.hostName)
        #expect(address.path == path)
        #expect(address.queryItems == [URLQueryItem(name: "channel", value: "a+b=c")])
        #expect(event["replay"] == .bool(true))
    }

    @Test("names no two messages alike: not when a daemon that forgot all counts anew")
    func identity() async throws {
        let bench = try await ToolBench()
        let listener = try await bench.listen("a", "--output=cloudevents", "-n2")
        #expect(await bench.run("post", "a", "1").status == 0)
        let first = JSON(try #require(await listener.output.next()))
        bench.daemon.kill()
        try await bench.daemon.start()
        _ = await listener.errors.next(containing: "is back")
        #expect(await bench.run("post", "a", "1").status == 0)
        let second = JSON(try #require(await listener.output.next()))
        #expect(first["source"] == second["source"])
        #expect(first["pos"] == second["pos"], "else this test shows nothing")
        #expect(first["id"] != second["id"])
    }

    @Test("ends events with NUL with -0, and tells losses on stderr alone")
    func rest() async throws {
        let bench = try await ToolBench()
        #expect(await bench.run("post", "a", "1").status == 0)
        let outcome = await bench.run(
            "listen", "a", "--replay=pos:0/other", "--until-live", "--output=cloudevents", "-0")
        #expect(outcome.errors.count == 1)
        #expect(outcome.errors.first?.contains("gap") == true)
        let records = outcome.output.joined().split(separator: "\0", omittingEmptySubsequences: false)
        #expect(records.count == 2 && records.last == "")
        #expect(CloudEventCheck.faults(of: String(records.first ?? "")) == [])
    }

    @Test("CloudEventCheck sees what is wrong")
    func judge() {
        let good =
            #"{"specversion":"1.0","id":"1","source":"a://b/c?d=e","type":"t","time":"2026-11-29T12:00:00Z","uid":1,"data":null}"#
        #expect(CloudEventCheck.faults(of: good) == [])
        let mistakes = [
            ("\"1.0\"", "\"1.0.2\""), ("\"id\":\"1\"", "\"id\":\"\""), ("\"id\":\"1\"", "\"id\":1"),
            ("\"type\"", "\"kind\""),
            ("\"a://b/c?d=e\"", "\"a://b/c d\""), ("T12", " 12"), ("\"uid\"", "\"user_id\""), ("\"uid\"", "\"User\""),
            ("\"uid\":1", "\"uid\":4294967295"), ("\"uid\":1", "\"uid\":[]"), ("\"uid\":1", "\"uid\":\"\\u0085\""),
            ("\"uid\":1", "\"id\":\"2\""), ("\"uid\":1", "\"subject\":\"\""), ("\"uid\"", "\"abcdefghijklmnopqrstu\""),
        ]
        for (text, instead) in mistakes {
            #expect(CloudEventCheck.faults(of: good.replacing(text, with: instead)) != [], "\(instead)")
        }
    }
}
