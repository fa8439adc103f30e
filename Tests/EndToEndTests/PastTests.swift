// The past from the real daemon, by socket, library and tool, while others go on posting, and after a restart
// (trials T065, T067, T069, T073).

import Foundation
import Notify
import NotifyLock
import NotifyTestSupport
import Testing

@Suite(.ownThreads) struct PastTests {
    private static func history(_ messages: Int) -> String {
        #"{"channels":[{"pattern":">","history":{"messages":\#(messages),"bytes":100000000,"age_s":3600}}]}"#
    }

    /// What a subscription has got of a channel: every `seq` once, as a message or within a gap.
    private struct Account {
        var next: [String: Int] = [:]
        var messages = 0

        mutating func enter(_ line: ReceivedLine) throws {
            let channel: String = try #require(line["channel"])
            switch line.op {
            case "message":
                let sequence = line.integer("seq")
                if let expected = next[channel] { #expect(sequence == expected, "\(channel)") }
                next[channel] = sequence + 1
                messages += 1
            case "gap":
                // Only what lies before the first message may be gone: the reader is not slow.
                #expect(next[channel] == nil && line["reason"] == "history", "\(line)")
                next[channel] = line.integer("to") + 1
            default: Issue.record("\(line)")
            }
        }
    }

    @Test(
        "At the seam between past and present nothing is missing and nothing comes twice, whoever posts meanwhile",
        arguments: [(50, "seam.a"), (50, "seam.*"), (5000, "seam.a"), (5000, "seam.*")])
    func seam(kept: Int, pattern: String) throws {
        let daemon = try TestDaemon(configuration: Self.history(kept))
        let isOver = Locked(false)
        let position = Locked(0)
        let end = DispatchSemaphore(value: 0)
        let socket = daemon.socketPath
        Thread.detachNewThread {
            defer { end.signal() }
            let poster = try? RawClient(socket)
            // In pieces of a hundred, whose last receipt is awaited.
            while !isOver.withLock({ $0 }) {
                let posts = (0..<99).map {
                    #"{"op":"post","channel":"seam.\#($0 % 2 == 0 ? "a" : "b")","payload":\#($0)}"#
                }
                guard (try? poster?.send(posts.joined(separator: "\n"))) != nil,
                    let receipt = try? poster?.post("seam.a", "99")
                else {
                    Issue.record("the poster was lost")
                    return
                }
                position.withLock { $0 = receipt.integer("pos") }
            }
        }
        defer {
            isOver.withLock { $0 = true }
            end.wait()
        }
        try daemon.wait("a hundred messages") { position.withLock { $0 } >= 100 }
        for round in 0..<60 {
            let reader = try daemon.client()
            let after = max(0, position.withLock { $0 } - [1, 17, 60, 300][round % 4])
            try reader.send(#"{"op":"subscribe","id":1,"channel":"\#(pattern)","replay":{"after":\#(after)}}"#)
            var account = Account()
            var isLive = false
            var last = after
            while account.messages < 300 || !isLive {
                let line = try reader.line()
                if line.op == "ok" { continue }
                if line.op == "live" {
                    #expect(!isLive)
                    isLive = true
                    continue
                }
                if line.op == "message" {
                    #expect(line.integer("pos") > last, "in the order of positions")
                    last = line.integer("pos")
                    #expect((line["replay"] == true) != isLive)
                }
                try account.enter(line)
            }
            reader.close()
        }
    }

    @Test("Numbers that begin anew after kill -9 are told by another epoch, and what comes is not missed")
    func epoch() throws {
        let daemon = try TestDaemon()
        let first = try daemon.client()
        let epoch: String = try #require(try first.ask(#"{"op":"hello","version":1}"#)["epoch"])
        for number in 1...100 { try first.post("a", "\(number)") }
        daemon.end(SIGKILL)
        try daemon.start()
        let second = try daemon.client()
        #expect(try second.ask(#"{"op":"hello","version":1}"#)["epoch"] != epoch)
        try second.post("a", "1")
        try second.send(#"{"op":"subscribe","id":2,"channel":"a","replay":{"after":100,"epoch":"\#(epoch)"}}"#)
        let poster = try daemon.client()
        for number in 2...5 { try poster.post("a", "\(number)") }
        let lines = try second.lines { $0.payload == "5" }.filter { $0.op != "ok" }
        #expect(lines.map(\.op) == ["gap", "message", "live"] + Array(repeating: "message", count: 4))
        #expect(lines.first?["reason"] == "epoch")
        #expect(lines.filter { $0.op == "message" }.map(\.payload) == ["1", "2", "3", "4", "5"])
    }

    @Test("Whoever goes on further back than history reaches is told once, and gets all that there is")
    func tooFarBack() async throws {
        let bench = try await ToolBench()
        #expect(await bench.run("post", "a", "--lines", input: (1...250).map { "\($0)\n" }.joined()).status == 0)
        // 64 of each channel, by default.
        let kept = (187...250).map { "\($0)" }

        let center = NotifyCenter(endpoint: .socket(path: bench.socket))
        var gaps: [NotifyCenter.Gap] = []
        var payloads: [String] = []
        for try await event in center.rawEvents(matching: ["a"], options: .init(replay: .after(50))) {
            switch event {
            case .gap(let gap): gaps.append(gap)
            case .message(let message): payloads.append(String(decoding: message.payload, as: UTF8.self))
            default: break
            }
            if case .live = event { break }
        }
        #expect(payloads == kept)
        #expect(gaps.map(\.reason) == [.history])
        #expect(gaps.first?.to == 186)

        let listen = await bench.run("listen", "a", "--replay=pos:50", "--until-live", "--output=payload")
        #expect(listen.output == kept)
        #expect(listen.errors.count == 1)
        #expect(listen.errors.first?.contains("history") == true)
        let failing = await bench.run("listen", "a", "--replay=pos:50", "--until-live", "--fail-on-gap")
        #expect(failing.status == 76)
    }

    @Test("A new look at the retained messages is complete: what was cleared meanwhile is not in it")
    func snapshot() throws {
        let daemon = try TestDaemon()
        let poster = try daemon.client()
        func snapshot() throws -> [String] {
            let reader = try daemon.client()
            try reader.send(#"{"op":"subscribe","id":1,"channel":"state.*","replay":"retained"}"#)
            return try reader.lines { $0.op == "live" }.filter { $0.op == "message" }.map(\.payload)
        }
        try poster.post("state.a", "1", #","retain":true"#)
        try poster.post("state.b", "2", #","retain":true"#)
        #expect(try snapshot() == ["1", "2"])
        try poster.must(#"{"op":"clear","channel":"state.a"}"#)
        try poster.post("state.b", "3", #","retain":true"#)
        #expect(try snapshot() == ["3"])
    }
}
