// The mailbox's state machine, with numbers for cargo: a number's channel is its hundreds, its sequence the number.

import Testing

@testable import Notify

extension Int: FeedMessage {
    var channel: NotifyCenter.Channel { NotifyCenter.Channel(trusted: "c\(self / 100)") }
    var sequence: UInt64 { UInt64(self) }
    /// Tens within a channel are subjects.
    var topic: FeedTopic { FeedTopic(channel: channel, subject: NotifyCenter.Subject(trusted: "s\(self / 10 % 10)")) }
    func isOnSameChannel(as other: Int) -> Bool { self / 100 == other / 100 }
}

/// Numbers of 10 bytes each, and 1 between two.
struct NumberRun: FeedRun {
    var numbers: [Int]

    var count: Int { numbers.count }
    var byteCount: Int { numbers.count * 11 - 1 }
    var first: Int { numbers[0] }

    mutating func split(_ count: Int) -> NumberRun {
        defer { numbers.removeFirst(count) }
        return NumberRun(numbers: Array(numbers.prefix(count)))
    }
}

extension FeedBuffer<NumberRun> {
    mutating func append(_ number: Int) -> Int { append(NumberRun(numbers: [number])) }
}

struct FeedBufferTests {
    typealias Buffer = FeedBuffer<NumberRun>

    /// Everything in the buffer, in words.
    func drain(_ buffer: Buffer, by most: Int = .max) -> [String] {
        var buffer = buffer
        var words: [String] = []
        while let item = buffer.popFirst(most) {
            switch item {
            case .messages(let run): words.append(contentsOf: run.numbers.map(String.init))
            case .mark(.loss(let loss)): words.append(word(loss.gap))
            case .mark(.gap(let gap)): words.append(word(gap))
            case .mark(.live): words.append("live")
            case .mark(.disconnected(let error)): words.append("lost: \(error.message)")
            case .mark(.reconnected): words.append("back")
            }
        }
        return words
    }

    private func word(_ gap: NotifyCenter.Gap) -> String {
        let range = gap.from.map { "\($0)-\(gap.to ?? 0)" } ?? "?"
        return "gap \(gap.channel?.rawValue ?? "*") \(range) x\(gap.count.map(String.init) ?? "?") \(gap.reason)"
    }

    private func buffer(_ limit: Int, bytes: Int = 1_000_000, holding numbers: [Int] = []) -> Buffer {
        var buffer = Buffer(limit: limit, byteLimit: bytes)
        for number in numbers { _ = buffer.append(number) }
        return buffer
    }

    @Test func `what went in comes out in order`() {
        #expect(drain(buffer(3, holding: [1, 2, 3])) == ["1", "2", "3"])
    }

    @Test(arguments: [(3, 0), (4, 1), (7, 4)])
    func `at the limit nothing is lost, beyond it the oldest is`(count: Int, lost: Int) {
        var full = Buffer(limit: 3, byteLimit: 1_000_000)
        var dropped = 0
        for number in 1...count { dropped += full.append(number) }
        #expect(dropped == lost)
        #expect(full.messageCount == 3)
        let gap = lost == 0 ? [] : ["gap c0 1-\(lost) x\(lost) overflow"]
        #expect(drain(full) == gap + (lost + 1...count).map(String.init))
    }

    @Test(arguments: [(30, 3), (29, 2), (5, 1)])
    func `bytes are bounded too, but one message always fits`(bytes: Int, kept: Int) {
        #expect(buffer(100, bytes: bytes, holding: [1, 2, 3]).messageCount == kept)
    }

    @Test func `marks stand where they happened`() {
        var buffer = buffer(3)
        buffer.append(.live)
        _ = buffer.append(1)
        buffer.append(.disconnected(NotifyError(.notConnected, "gone")))
        buffer.append(.reconnected)
        _ = buffer.append(2)
        buffer.append(.gap(NotifyCenter.Gap(reason: .history)))
        #expect(drain(buffer) == ["live", "1", "lost: gone", "back", "2", "gap * ? x? history"])
    }

    @Test func `a loss takes the place of the message, among the marks`() {
        var buffer = buffer(2, holding: [1])
        buffer.append(.live)
        _ = buffer.append(2)
        _ = buffer.append(3)
        #expect(drain(buffer) == ["gap c0 1-1 x1 overflow", "live", "2", "3"])
        _ = buffer.append(4)
        #expect(drain(buffer) == ["gap c0 1-1 x1 overflow", "live", "gap c0 2-2 x1 overflow", "3", "4"])
    }

    @Test func `losses are told for each channel`() {
        #expect(
            drain(buffer(1, holding: [1, 101, 2, 102, 3])) == [
                "gap c0 1-2 x2 overflow", "gap c1 101-102 x2 overflow", "3",
            ])
    }

    @Test(arguments: [64, 65])
    func `more marks than the limit before one message become one`(count: Int) {
        var buffer = buffer(1)
        for number in 0..<count { _ = buffer.append(number * 100) }
        _ = buffer.append(9900)
        let words = drain(buffer)
        #expect(words.count == (count <= 64 ? count + 1 : 2))
        #expect(words.last == "9900")
        if count > 64 { #expect(words.first == "gap * ? x\(count) overflow") }
    }

    @Test func `summing up keeps the last news of the connection`() {
        var buffer = buffer(1)
        for round in 0..<40 {
            buffer.append(.disconnected(NotifyError(.notConnected, "gone \(round)")))
            buffer.append(.reconnected)
        }
        let words = drain(buffer)
        #expect(words.count <= Buffer.markLimit + 1)
        #expect(words.suffix(2) == ["lost: gone 39", "back"])
    }

    @Test func `summing up does not hide that the numbers count anew`() {
        var buffer = buffer(1)
        buffer.append(.gap(NotifyCenter.Gap(reason: .epoch)))
        for _ in 0..<Buffer.markLimit { buffer.append(.gap(NotifyCenter.Gap(reason: .history))) }
        #expect(drain(buffer) == ["gap * ? x? epoch"])
    }

    @Test func `counts that no daemon can have are summed up without a fault`() {
        var buffer = buffer(1)
        buffer.append(.gap(NotifyCenter.Gap(count: UInt64.max, reason: .history)))
        for _ in 1..<Buffer.markLimit { buffer.append(.gap(NotifyCenter.Gap(count: 0, reason: .history))) }
        for number in 1...2 { _ = buffer.append(number) }
        #expect(drain(buffer) == ["gap * ? x0 history", "2"])
    }

    @Test(arguments: [1, 2, 3, 100])
    func `runs come out in pieces, as long as they are asked for and end at a mark`(most: Int) {
        var buffer = buffer(100)
        _ = buffer.append(NumberRun(numbers: [1, 2, 3, 4]))
        buffer.append(.live)
        _ = buffer.append(NumberRun(numbers: [5, 6]))
        #expect(buffer.messageCount == 6)
        #expect(drain(buffer, by: most) == ["1", "2", "3", "4", "live", "5", "6"])
        guard case .messages(let first)? = buffer.popFirst(most) else {
            Issue.record("the first thing is no run")
            return
        }
        #expect(first.numbers == Array([1, 2, 3, 4].prefix(most)))
        #expect(buffer.messageCount == 6 - first.count)
    }

    @Test func `a run larger than the buffer loses its beginning`() {
        var buffer = buffer(3)
        #expect(buffer.append(NumberRun(numbers: [1, 2, 3, 4, 5])) == 2)
        #expect(drain(buffer) == ["gap c0 1-2 x2 overflow", "3", "4", "5"])
    }

    @Test func `bytes are counted right however runs are cut`() {
        var buffer = buffer(1000, bytes: 109)
        // Ten numbers in one run are 109 bytes: they fit, and fit again after they were taken in pieces.
        for _ in 1...5 {
            #expect(buffer.append(NumberRun(numbers: Array(1...10))) == 0)
            for _ in 1...5 { _ = buffer.popFirst(2) }
            #expect(buffer.isEmpty)
        }
        #expect(buffer.append(NumberRun(numbers: Array(1...11))) == 1)
    }

    @Test func `a long life does not grow the buffer`() {
        var buffer = buffer(4)
        for number in 0..<10_000 {
            _ = buffer.append(number)
            if number % 3 == 0 { _ = buffer.popFirst(1) }
        }
        #expect(drain(buffer).suffix(4) == ["9996", "9997", "9998", "9999"])
    }
}
