// What answers hello may say that its limits are whatever a number can say: no arithmetic with them may trap.

import NotifyWire
import Testing

@testable import Notify

struct AbsurdLimitTests {
    private func greet(_ it: inout Transcript, _ limits: NotifyCenter.ServerInfo.Limits) {
        it.machine.connected(it.time)
        _ = it.lines()
        it.machine.greeted(
            NotifyCenter.ServerInfo(
                version: "absurd", epoch: "e1", client: 1, position: 0, limits: limits, features: [], socketPath: "/s",
                started: nil, pid: nil), it.time)
    }

    @Test(arguments: [Int.min, -1, 0, 1, Int.max])
    func `keys of posts may be remembered for any time`(seconds: Int) throws {
        var it = Transcript()
        try it.post(1, .keyed)
        var limits = NotifyCenter.ServerInfo.Limits()
        limits.deduplicationSeconds = seconds
        greet(&it, limits)
        #expect(it.lines() == ["post"])
        #expect((it.machine.repeatWindow > 0) == (seconds > 0))
    }

    @Test(arguments: [(Int.min, 1), (-1, 1), (0, 1), (1, 1), (7, 7), (8, 7), (Int.max, 7)])
    func `a queue is asked for as long as there may be one, of one message at least`(limit: Int, asked: Int) {
        var it = Transcript()
        it.machine.subscribe(
            "A", id: 1, to: [.init(pattern: "a", buffer: .bufferingOldest(7))], it.time)
        var limits = NotifyCenter.ServerInfo.Limits()
        limits.queueMessages = limit
        greet(&it, limits)
        var text = ""
        it.machine.outbox.flush { bytes in
            text = String(decoding: bytes, as: UTF8.self)
            return bytes.count
        }
        #expect(text.contains(#""messages":\#(asked)}"#))
    }
}
