// What clients can cause at will is written once in a while, and of too many different things some not at all.

import Testing

@testable import NotifyDaemon

struct RecentMessagesTests {
    private func texts(_ range: ClosedRange<Int>) -> [String] { range.map { "message \($0)" } }

    /// How many of the texts are new at that second, for ten.
    private func count(_ texts: [String], _ recent: inout RecentMessages, at now: UInt64) -> Int {
        texts.count { recent.isNew($0, at: now, for: 10) }
    }

    @Test("A message is new again when its seconds are over, not one earlier")
    func repetition() {
        var recent = RecentMessages()
        #expect((100...125).filter { recent.isNew("a", at: $0, for: 10) } == [100, 110, 120])
        #expect((100...109).filter { recent.isNew("b", at: $0, for: 1) } == Array(100...109))
    }

    @Test("So many different messages are new at a time, and not one more; then they make room for as many others")
    func bound() {
        var recent = RecentMessages()
        let limit = RecentMessages.limit
        #expect(count(texts(1...limit), &recent, at: 100) == limit)
        #expect(count(texts(1...1000), &recent, at: 109) == 0)
        #expect(count(texts(1001...2000), &recent, at: 110) == limit)
        #expect(count(texts(1...1000), &recent, at: 119) == 0)
    }

    @Test("What is kept back for long keeps its place, and the others go on")
    func longer() {
        var recent = RecentMessages()
        let others = texts(2...RecentMessages.limit)
        let long = ([100, 3690, 3700] as [UInt64]).filter { now in
            let isNew = recent.isNew("long", at: now, for: 3600)
            #expect(count(others, &recent, at: now) == others.count)
            return isNew
        }
        #expect(long == [100, 3700])
    }
}
