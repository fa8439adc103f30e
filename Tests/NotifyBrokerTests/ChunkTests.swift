// Lines that wait stand in the log's pieces: written once, kept as long as anybody waits, and never much more memory
// than what waits.

import NotifyBroker
import NotifyTestSupport
import Testing

@Suite("Lines that wait in the log")
struct ChunkTests {
    private let stage = Stage(chunkBytes: 4096)

    private static func text(_ count: Int) -> String { "\"" + String(repeating: "x", count: count) + "\"" }

    @Test("are kept once for all who wait for them, and given back when the last has read them")
    func shared() {
        let poster = stage.connect()
        let listeners = (0..<50).map { _ in stage.connect() }
        for listener in listeners {
            listener.subscribe("a")
            listener.block()
        }
        for number in 1...100 { poster.post("a", "[\(number),\(Self.text(500))]") }
        // About 70 kB of lines for each of the fifty, and far less than two copies of them.
        #expect(stage.chunkBytes > 60_000)
        #expect(stage.chunkBytes < 120_000)
        for listener in listeners.dropLast() {
            listener.unblock()
            #expect(listener.read().sequences == Array(1...100))
        }
        #expect(stage.chunkBytes > 60_000)
        listeners.last?.unblock()
        #expect(listeners.last?.read().sequences == Array(1...100))
        #expect(stage.chunkBytes == 0)
    }

    @Test("do not keep the rest of the log when others have read it", arguments: [false, true])
    func sparse(othersLeave: Bool) {
        let poster = stage.connect()
        let (busy, rare) = (stage.connect(), stage.connect())
        busy.subscribe("busy")
        rare.subscribe("rare")
        busy.block()
        rare.block()
        for number in 1...500 {
            poster.post("busy", Self.text(1000))
            if number % 10 == 0 { poster.post("rare", "\(number)") }
        }
        #expect(stage.chunkBytes > 500_000)
        if othersLeave {
            stage.disconnect(busy)
        } else {
            busy.unblock()
            #expect(busy.read().sequences == Array(1...500))
        }
        // Fifty short lines, and what may be wasted whatever waits.
        #expect(stage.chunkBytes <= 8 * 4096 + 2 * 50 * 250)
        rare.unblock()
        #expect(rare.read().payloads == Array(stride(from: 10, through: 500, by: 10)))
        #expect(stage.chunkBytes == 0)
    }

    @Test("stay whole when the log grows under them, and when it shrinks behind them")
    func growth() {
        let poster = stage.connect()
        let listener = stage.connect()
        listener.subscribe("a")
        listener.block()
        poster.post("a", "1")
        stage.wakeUp { for number in 2...30 { poster.post("a", "[\(number),\(Self.text(3000))]") } }
        poster.post("a", Self.text(100_000))
        for number in 32...60 { poster.post("a", "\(number)") }
        #expect(stage.chunkBytes < 2 * 210_000)
        listener.makeRoom(150_000)
        listener.unblock()
        let lines = listener.read()
        #expect(lines.sequences == Array(1...60))
        #expect(lines[0]["payload"].int == 1)
        #expect(lines[59]["payload"].int == 60)
    }

    @Test("go with the queue: what is dropped gives its memory back")
    func dropped() {
        let poster = stage.connect()
        let listener = stage.connect()
        listener.subscribe("a", #","buffer":{"bytes":20000}"#)
        listener.block()
        for _ in 1...1000 { poster.post("a", Self.text(500)) }
        #expect(stage.chunkBytes <= 20_000 + 8 * 4096)
        listener.unblock()
        let lines = listener.read()
        let count = lines.messages.count
        #expect(lines.gaps.map { $0["count"].int } == [1000 - count])
        #expect(lines.sequences == Array(1001 - count...1000))
    }
}
