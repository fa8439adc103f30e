// What the mailbox does when it is full, by policy: numbers for cargo, hundreds are channels, tens subjects.

import NotifyWire
import Testing

@testable import Notify

struct FeedPolicyTests {
    private func buffer(_ policy: BufferPolicy, _ limit: Int, _ runs: [Int]...) -> FeedBuffer<NumberRun> {
        var buffer = FeedBuffer<NumberRun>(policy: policy, limit: limit, byteLimit: 1_000_000)
        for run in runs { _ = buffer.append(NumberRun(numbers: run)) }
        return buffer
    }

    private func drain(_ buffer: FeedBuffer<NumberRun>) -> [String] { FeedBufferTests().drain(buffer) }

    @Test func `oldest keeps what waits, and tells what did not find room behind it`() {
        #expect(drain(buffer(.oldest, 3, [1, 2, 3])) == ["1", "2", "3"])
        #expect(
            drain(buffer(.oldest, 3, [1, 2], [3, 4, 105, 5])) == [
                "1", "2", "3", "gap c0 4-5 x2 overflow", "gap c1 105-105 x1 overflow",
            ])
        #expect(drain(buffer(.oldest, 1, [1], [2], [3], [4])) == ["1", "gap c0 2-4 x3 overflow"])
        var full = buffer(.oldest, 3, [1, 2, 3, 4])
        _ = full.popFirst(1)
        #expect(full.append(NumberRun(numbers: [5, 6])) == 1)
        #expect(drain(full) == ["2", "3", "gap c0 4-4 x1 overflow", "5", "gap c0 6-6 x1 overflow"])
    }

    @Test func `oldest is bounded in bytes, too`() {
        var full = FeedBuffer<NumberRun>(policy: .oldest, limit: 100, byteLimit: 15)
        #expect([1, 2, 3].map { full.append($0) } == [0, 0, 1])
    }

    @Test(arguments: [(3, false), (4, true)])
    func `fail holds what there was room for, and then nothing`(count: Int, fails: Bool) {
        var full = buffer(.fail, 3, Array(1...count))
        #expect(full.hasFailed == fails)
        #expect(drain(full) == ["1", "2", "3"])
        if fails {
            _ = full.popFirst(3)
            _ = full.append(5)
            #expect(drain(full) == [])
        }
    }

    @Test func `latest holds one message of each topic, and tells what was replaced before the next`() {
        #expect(drain(buffer(.latest, 9, [1, 11, 101])) == ["1", "11", "101"])
        #expect(drain(buffer(.latest, 9, [1, 11, 12, 2])) == ["gap c0 1-11 x2 coalesced", "12", "2"])
        #expect(
            drain(buffer(.latest, 9, [1, 101, 2, 102, 3])) == [
                "gap c0 1-2 x2 coalesced", "gap c1 101-101 x1 coalesced", "102", "3",
            ])
    }

    @Test func `what was taken is replaced by nothing`() {
        var row = buffer(.latest, 9, [1, 11])
        _ = row.popFirst(1)
        _ = row.append(NumberRun(numbers: [2, 3]))
        #expect(drain(row) == ["gap c0 2-2 x1 coalesced", "11", "3"])
        #expect(row.messageCount == 2)
    }

    @Test func `marks keep their places when something before them is replaced`() {
        var row = buffer(.latest, 9, [1, 11])
        row.append(.live)
        _ = row.append(21)
        _ = row.append(2)
        #expect(drain(row) == ["gap c0 1-1 x1 coalesced", "11", "live", "21", "2"])
    }

    @Test func `with more topics than the limit the oldest is lost`() {
        #expect(drain(buffer(.latest, 2, [1, 11, 21])) == ["gap c0 1-1 x1 overflow", "11", "21"])
    }

    @Test func `block loses nothing for the number's sake`() {
        #expect(drain(buffer(.block, 2, [1, 2, 3])) == ["1", "2", "3"])
    }
}
