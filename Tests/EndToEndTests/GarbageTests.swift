// Anything at all may come in: every line gets its answer, and nobody else notices (trials T009, T015, T019, T091).
// What a run sends depends on its seed alone, which stands in the name of the test.

import NotifyTestSupport
import Testing

@Suite(.ownThreads) struct GarbageTests {
    let daemon: TestDaemon
    let listener: RawClient
    let poster: RawClient

    init() throws {
        daemon = try TestDaemon()
        listener = try daemon.client()
        poster = try daemon.client()
        try listener.subscribe("steady", ",\"sub\":4000000000")
    }

    static let seeds = [
        #"{"op":"post","channel":"g.a","payload":{"n":[1,-2.5e3,"x\u00e9"]},"type":"T","subject":"s"}"#,
        #"{"op":"subscribe","channel":"g.*","sub":7,"type":"T","echo":false,"replay":"retained","buffer":{"messages":5}}"#,
        #"{"op":"unsubscribe","sub":7}"#, #"{"op":"post","channel":"g.b","payload":null,"retain":true,"id":5}"#,
        #"{"op":"batch","posts":[{"channel":"g.a"},{"channel":"g.c","payload":"é😀"}],"id":"i"}"#,
        #"{"op":"get","channel":"g.b","id":1}"#, #"{"op":"clear","channel":"g.b"}"#,
        #"{"op":"hello","version":1,"name":"n"}"#,
        #"{"op":"channels","match":"g.>","id":2}"#, #"{"op":"stats","id":3}"#, #"{"op":"subscriptions","id":4}"#,
        #"{"op":"ping"}"#,
    ]

    private static func mutate(_ text: String, _ random: inout SplitMix) -> [UInt8] {
        var bytes = Array(text.utf8)
        for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.remove(at: place)
            case 2: bytes.insert(Array(#"{}[]":,\.*>$09-e"#.utf8).randomElement(using: &random)!, at: place)
            case 3: bytes.removeLast(bytes.count - place)
            case 4: bytes.insert(contentsOf: bytes[place...].prefix(20), at: place)
            default: bytes.swapAt(place, Int.random(in: 0..<bytes.count, using: &random))
            }
        }
        // One line stays one line.
        return bytes.map { $0 == 10 ? 32 : $0 }
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>) func `spoilt requests are answered with good lines`(seed: UInt64)
        throws
    {
        var random = SplitMix(state: seed)
        let before = daemon.peakMemory
        for round in 1...150 {
            let client = try daemon.client()
            for number in 0..<10 {
                var lines: [UInt8] = []
                for _ in 0..<5 { lines += Self.mutate(Self.seeds.randomElement(using: &random)!, &random) + [10] }
                // A line that was spoilt into `bye` would end the conversation: then it is over, and that is all.
                try client.send(bytes: lines + Array("\n{\"op\":\"ping\",\"id\":\"mark \(number)\"}\n".utf8))
                var isOver = false
                while !isOver {
                    // Throws when the daemon says anything that is not a strict object.
                    guard let line = try client.lineOrEnd() else { break }
                    #expect(["ok", "error", "message", "live", "gap"].contains(line.op), "seed \(seed): \(line)")
                    if line.op == "error" {
                        #expect(!line.code.isEmpty && !line.message.isEmpty, "seed \(seed): \(line)")
                    }
                    isOver = line["id"] == "mark \(number)"
                }
                #expect(isOver, "seed \(seed), round \(round): the daemon closed")
            }
            try poster.post("steady", "\(round)")
            #expect(try listener.line().payload == "\(round)")
        }
        try daemon.wait(poster, "clients", 2)
        daemon.expectPeak(since: before, below: 8 << 10)
    }

    @Test(arguments: 1...2 as ClosedRange<UInt64>) func `noise is no trouble`(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        for round in 1...100 {
            let client = try daemon.client()
            let noise = (0..<Int.random(in: 1...5000, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            try client.send(bytes: noise)
            if round % 2 == 0 { client.endOutput() }
            if round % 3 != 0 {
                try client.waitUntilRead()
                client.close()
            } else if round % 2 == 0 {
                #expect(try client.linesToEnd().allSatisfy { $0.op == "error" })
            }
            try poster.post("steady", "\(round)")
            #expect(try listener.line().payload == "\(round)")
        }
        try daemon.wait(poster, "clients", 2)
    }

    @Test func `keys of every kind are taken or refused, never believed twice`() throws {
        let keys = [
            ("", true), (#"\u0000"#, true), (String(repeating: "k", count: 900_000), true), (#"\ud83d\ude00"#, true),
            (#"\ud83d"#, false),
            (#"\ude00\ud83d"#, false), (#"\ud83d\u0041"#, false), (#"\x"#, false), ("\u{1}", false),
        ]
        for (key, isGood) in keys {
            try poster.send("{\"op\":\"post\",\"id\":1,\"channel\":\"steady\",\"payload\":{\"\(key)\":1}}")
            let answer = try poster.line()
            #expect(answer.op == (isGood ? "ok" : "error"), "\(key.prefix(20)): \(answer)")
            if isGood { #expect(try listener.line().payload == "{\"\(key)\":1}") }
        }
        let many = "{" + (0..<50_000).map { "\"k\($0)\":\($0)" }.joined(separator: ",") + "}"
        try poster.post("steady", many)
        #expect(try listener.line().payload == many)
        for twice in [#""channel":"steady","channel":"other""#, #""channel":"other","\u0063hannel":"steady""#] {
            #expect(try poster.ask("{\"op\":\"post\",\(twice)}").code == "invalid_request")
        }
        try listener.must(#"{"op":"ping"}"#)
    }
}
