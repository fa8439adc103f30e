// One life of one subscription: what it asked for, what it has read, and whether that is what it should have been.

final class Life {
    struct Gap {
        var channel: String?
        var from: Int
        var to: Int
        var count: Int
        var reason: String?
        /// When it was read.
        var time: UInt64
    }

    enum Event {
        /// What was begun earlier than it was read has the time 0.
        case message(position: Int, time: UInt64)
        case gap(Gap)
    }

    struct Wishes {
        var pattern: String
        var type: String?
        var uid: UInt32?
        var echo = true
        var policy = "newest"
        var messages = 12
        /// In milliseconds; 0: none.
        var interval = 0

        var passesAll: Bool { type == nil && uid == nil && echo }
    }

    let label: String
    let wishes: Wishes
    let client: Int
    let uid: UInt32
    let circle: Circle?
    /// It gets what is posted after the first of these and up to the second.
    let start: Int
    private(set) var end = Int.max
    /// nil: it asked for nothing of it.
    var past: Past?
    var isLive = false
    var events: [Event] = []
    /// It ended before everything that waited for it had been read.
    var isCut = false
    /// It lost a message, and its policy is `fail`.
    var hasOverflowed = false

    init(label: String, wishes: Wishes, client: Int, uid: UInt32, circle: Circle?, start: Int) {
        (self.label, self.wishes, self.client, self.uid) = (label, wishes, client, uid)
        (self.circle, self.start) = (circle, start)
    }

    func end(at position: Int, isCut: Bool) {
        end = min(end, position)
        if isCut { self.isCut = true }
    }

    func wants(_ post: ModelPost) -> Bool {
        matches(wishes.pattern, post.channel) && (wishes.type ?? post.type) == post.type
            && (wishes.uid ?? post.uid) == post.uid && (wishes.echo || post.client != client)
    }

    var gaps: [Gap] { events.compactMap { if case .gap(let gap) = $0 { gap } else { nil } } }

    func told(_ reason: String) -> Int { gaps.reduce(0) { $0 + ($1.reason == reason ? $1.count : 0) } }

    /// What is wrong; nil: nothing.
    func fault(_ truth: [Witnessed], isPatient: Bool) -> String? {
        let pastFault = pastFault(truth)
        if circle != nil { return pastFault }
        let expected = truth[min(start, truth.count)..<min(end, truth.count)].filter { wants($0.post) }
        let isSorted = wishes.interval == 0 && expected.allSatisfy { $0.post.priority == 1 }
        let fault = pastFault ?? (isSorted ? orderFault(expected) : laneFault(expected))
        return (fault ?? policyFault(expected, isPatient)).map { "\(label): \($0)" }
    }

    private func pastFault(_ truth: [Witnessed]) -> String? {
        guard let past else { return isLive ? "\(label): live" : nil }
        if !isCut, !isLive { return "\(label): no live" }
        return past.fault(self, truth, isWhole: isLive).map { "\(label): \($0)" }
    }

    /// Where nothing overtakes: each message in its place, and before it gaps for all that are missing there.
    private func orderFault(_ expected: [Witnessed]) -> String? {
        var next = 0
        var gaps: [Gap] = []
        for event in events {
            switch event {
            case .gap(let gap): gaps.append(gap)
            case .message(let position, let time):
                guard let found = expected[next...].firstIndex(where: { $0.position == position }) else {
                    return "message \(position) is out of order, doubled or none of its own"
                }
                if let fault = gapFault(gaps, expected, next..<found) { return "before \(position): \(fault)" }
                // What waits when a subscription ends is sent, however long that takes.
                if !hasOverflowed, end == .max, let expires = expected[found].expires, time >= expires {
                    return "\(position) had expired at \(expires), read at \(time)"
                }
                (gaps, next) = ([], found + 1)
            }
        }
        if isCut || hasOverflowed { return nil }
        return gapFault(gaps, expected, next..<expected.count).map { "at the end: \($0)" }
    }

    private func gapFault(_ gaps: [Gap], _ expected: [Witnessed], _ places: Range<Int>) -> String? {
        let missing = expected[places]
        guard gaps.reduce(0, { $0 + $1.count }) == missing.count else { return "\(gaps) for \(missing.count) missing" }
        for gap in gaps {
            let lost = missing.filter { $0.post.channel == gap.channel }
            let numbers = lost.filter { gap.reason != "expired" || $0.expires.map { $0 <= gap.time } == true }
            guard numbers.contains(where: { $0.sequence == gap.from }),
                numbers.contains(where: { $0.sequence == gap.to })
            else { return "\(gap)" }
            if gap.reason == "coalesced", !lost.contains(where: { hasSuccessor($0, in: expected) }) {
                return "nothing took the place of what \(gap) tells of"
            }
        }
        return nil
    }

    /// Where messages overtake each other: those of one lane come in order, none twice, and the gaps of each channel add
    /// up to what is missing of it.
    private func laneFault(_ expected: [Witnessed]) -> String? {
        struct Lane: Hashable {
            var priority: Int
            var topic: Topic?
        }
        var left = Dictionary(uniqueKeysWithValues: expected.map { ($0.position, $0) })
        var last: [Lane: Int] = [:]
        for case .message(let position, _) in events {
            guard let found = left.removeValue(forKey: position) else {
                return "message \(position) came twice or is none of its own"
            }
            let lane = Lane(priority: found.post.priority, topic: wishes.interval > 0 ? found.post.topic : nil)
            if last[lane, default: 0] > position { return "\(position) is out of order" }
            last[lane] = position
        }
        if isCut || hasOverflowed { return nil }
        for channel in Set(expected.map(\.post.channel)).union(gaps.compactMap(\.channel)) {
            let own = gaps.filter { $0.channel == channel }
            let missing = left.values.filter { $0.post.channel == channel }
            guard own.reduce(0, { $0 + $1.count }) == missing.count else {
                return "\(own) for \(missing.count) missing of \(channel)"
            }
            let numbers = Set(missing.map(\.sequence))
            for gap in own where !numbers.contains(gap.from) || !numbers.contains(gap.to) { return "\(gap)" }
            // The last of each topic is never told to have been replaced.
            let replaced = missing.filter { hasSuccessor($0, in: expected) }.count
            let coalesced = own.reduce(0) { $0 + ($1.reason == "coalesced" ? $1.count : 0) }
            if coalesced > replaced { return "\(coalesced) replaced of \(replaced) that have a successor" }
        }
        return nil
    }

    private func hasSuccessor(_ lost: Witnessed, in expected: [Witnessed]) -> Bool {
        expected.contains { $0.position > lost.position && $0.post.topic == lost.post.topic }
    }

    private func policyFault(_ expected: [Witnessed], _ isPatient: Bool) -> String? {
        if wishes.policy == "fail", told("overflow") > 0 { return "lost something and did not end" }
        if wishes.policy != "latest", wishes.interval == 0, told("coalesced") > 0 { return "something was replaced" }
        // Everybody who posted could be made to wait.
        let isHoldable = expected.allSatisfy {
            $0.post.client != client && $0.post.uid == uid && !$0.post.mayBeOfNobody
        }
        if wishes.policy == "block", wishes.interval == 0, isPatient, isHoldable, told("overflow") > 0 {
            return "lost something though it may block"
        }
        return nil
    }
}
