// What the built tool tells about the built daemon.

import Foundation
import NotifyTestSupport
import Testing

@Suite("notifyctl's lists", .timeLimit(.minutes(2)))
struct NotifyctlListTests {
    private func array(_ outcome: ToolOutcome) throws -> [[String: Any]] {
        #expect(outcome.status == 0)
        #expect(outcome.output.count == 1, "one array on one line")
        let line = try #require(outcome.output.first)
        return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [[String: Any]])
    }

    @Test("channels: a table for people, an array for programs, and only what matches")
    func channels() async throws {
        let bench = try await ToolBench()
        #expect(await bench.run("channels", "--json").output == ["[]"])
        #expect(await bench.run("post", "a.b", "1", "--retain").status == 0)
        #expect(await bench.run("post", "c", "1").status == 0)
        let all = try array(await bench.run("channels", "--json"))
        #expect(Set(all.compactMap { $0["channel"] as? String }) == ["a.b", "c"])
        let some = try array(await bench.run("channels", "a.*", "--json"))
        #expect(some.count == 1)
        #expect(some[0]["seq"] as? Int == 1)
        #expect(some[0]["retained"] as? Bool == true)
        let table = await bench.run("channels", "a.*").output
        #expect(table.count == 2)
        #expect(table[0] == "CHANNEL  SEQ  SUBSCRIPTIONS  RETAINED  LAST      HISTORY  BYTES  DISK")
        #expect(table[1].hasPrefix("a.b        1              0  yes       "))
        #expect(table[1].hasSuffix("        1      1"))
    }

    @Test("clear forgets what get shows")
    func clear() async throws {
        let bench = try await ToolBench()
        #expect(await bench.run("post", "a", "{\"k\": 1}", "--retain").status == 0)
        let got = await bench.run("get", "a")
        #expect(got.status == 0)
        #expect(got.output.count == 1)
        #expect(got.output.first?.contains("\"payload\":{\"k\": 1}") == true)
        #expect(await bench.run("get", "a", "--format=%p").output == ["{\"k\": 1}"])
        let cleared = await bench.run("clear", "a")
        #expect(cleared.status == 0)
        #expect(cleared.output + cleared.errors == [])
        #expect(await bench.run("get", "a").status == 1)
    }

    @Test("clients and subscriptions: who is there, by the kernel's word")
    func clients() async throws {
        let bench = try await ToolBench()
        let listener = try await bench.listen("a.>", "-sS")
        let clients = try array(await bench.run("clients", "--json"))
        let client = try #require(clients.first { $0["pid"] as? Int == Int(listener.pid) })
        #expect(client["name"] as? String == "notifyctl")
        #expect(client["uid"] as? Int == Int(getuid()))
        #expect(client["subscriptions"] as? Int == 1)
        let subscriptions = try array(await bench.run("subscriptions", "--json"))
        #expect(subscriptions.count == 1)
        #expect(subscriptions[0]["channel"] as? String == "a.>")
        #expect(subscriptions[0]["subject"] as? String == "S")
        #expect(subscriptions[0]["policy"] as? String == "newest")
        let table = await bench.run("subscriptions").output
        #expect(table.count == 2)
        #expect(table[0].hasPrefix("CLIENT"))
        let people = await bench.run("clients").output
        #expect(people.contains { $0.contains("\(listener.pid)") && $0.contains("notifyctl  ") })
        #expect(table[1].contains("a.>"))
        #expect(table[1].contains("\(listener.pid)"))
        #expect(try array(await bench.run("subscriptions", "b", "--json")).isEmpty)
    }

    @Test("names that look alike are shown differently")
    func names() async throws {
        let bench = try await ToolBench()
        var clients: [RawClient] = []
        for name in ["admin", #"ad\u200bmin"#, #"admin\udb40\udc41"#] {
            let client = try RawClient(bench.socket)
            _ = try client.must("{\"op\":\"hello\",\"version\":1,\"name\":\"\(name)\"}")
            clients.append(client)
        }
        let shown = await bench.run("clients").output.compactMap { $0.split(separator: " ").last }
        #expect(["admin", "ad\\u200bmin", "admin\\u{e0041}"].allSatisfy { shown.contains($0[...]) }, "\(shown)")
    }

    @Test("stats: one object, a table, and OpenMetrics")
    func stats() async throws {
        let bench = try await ToolBench()
        #expect(await bench.run("post", "a", "1").status == 0)
        let json = await bench.run("stats", "--json")
        #expect(json.output.count == 1)
        let object = try JSONSerialization.jsonObject(with: Data(json.output[0].utf8)) as? [String: Any]
        #expect(object?["posts"] as? Int == 1)
        #expect(object?["version"] as? String == "0.1.0")
        #expect(await bench.run("stats").output.contains { $0.hasPrefix("posts ") && $0.hasSuffix(" 1") })
        let metrics = await bench.run("stats", "--openmetrics").output
        #expect(metrics.contains("notifyd_posts_total 1"))
        #expect(metrics.last == "# EOF")
    }

    @Test("ping: each answer and the sum")
    func ping() async throws {
        let bench = try await ToolBench()
        let outcome = await bench.run("ping")
        #expect(outcome.status == 0)
        #expect(outcome.output.count == 5)
        #expect(outcome.output.first?.hasPrefix("answer 1: ") == true)
        #expect(outcome.output.last?.hasPrefix("4 answers: shortest ") == true)
        #expect(await bench.run("ping", "-n2").output.count == 3)
        #expect(await bench.run("ping", "-n1").output.last?.hasPrefix("1 answer: ") == true)
    }

    @Test("the tool and the daemon are of the same version")
    func version() async throws {
        let tool = try await Command.run(Checkout.program("notifyctl"), ["--version"])
        let daemon = try await Command.run(Checkout.program("notifyd"), ["--version"])
        #expect(tool.output == "notifyctl 0.1.0\n")
        #expect(daemon.output == "notifyd 0.1.0\n")
    }
}
