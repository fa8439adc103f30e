// What a subscription has asked for of the past, what it has got of it, and whether that is what it should have been:
// each message in its place, or a gap before it that tells of it.

struct Past {
    enum Wish {
        case retained
        case last(Int)
        case after(Int)
        /// A monotonic time.
        case since(UInt64)
    }

    struct Gap {
        var from: Int?
        var to: Int
        var count: Int?
        var reason: String?
        /// When it was read, and the channel's `seq` then.
        var time: UInt64
        var sequence: Int

        func tells(of message: Witnessed) -> Bool {
            guard ((from ?? 1)...to).contains(message.sequence) else { return false }
            return reason == "history" || reason == "expired" && message.expires.map { $0 <= time } == true
        }
    }

    enum Event {
        case message(position: Int)
        case gap(Gap, channel: String)
    }

    /// So many messages of each channel are kept.
    static let kept = 8

    let wish: Wish
    var events: [Event] = []

    init(_ wish: Wish) { self.wish = wish }

    var replayed: [Int] { events.compactMap { if case .message(let position) = $0 { position } else { nil } } }
    var gaps: [Gap] { events.compactMap { if case .gap(let gap, _) = $0 { gap } else { nil } } }

    /// - Parameter isWhole: the subscription has got all of it.
    func fault(_ life: Life, _ truth: [Witnessed], isWhole: Bool) -> String? {
        if replayed != replayed.sorted() || Set(replayed).count < replayed.count { return "replayed \(replayed)" }
        if case .retained = wish { return retainedFault(life, truth, isWhole) }
        let channels = Dictionary(grouping: truth.prefix(life.start), by: \.post.channel)
        for (channel, all) in channels {
            let own = events.filter { event in
                switch event {
                case .message(let position): truth[position - 1].post.channel == channel
                case .gap(_, let name): name == channel
                }
            }
            let last = truth.count { $0.post.channel == channel }
            if let fault = fault(own, expected(all, life), life.wishes.passesAll, isWhole, last: last) {
                return "\(wish) of \(channel): \(fault)"
            }
        }
        let known = events.allSatisfy { event in
            switch event {
            case .message(let position): position <= life.start
            case .gap(_, let name): channels[name] != nil
            }
        }
        return known ? nil : "something of nothing in \(events)"
    }

    private func expected(_ all: [Witnessed], _ life: Life) -> [Witnessed] {
        let passing = all.filter { life.wants($0.post) }
        switch wish {
        case .retained: return []
        case .after(let position): return passing.filter { $0.position > position }
        case .since(let time): return passing.filter { $0.made >= time }
        case .last(let count):
            // Of those that are gone nobody knows whether they would have passed.
            let first = life.wishes.passesAll ? 0 : all.count - Self.kept
            return Array(passing.filter { $0.sequence > first }.suffix(count))
        }
    }

    /// The events of one channel.
    private func fault(
        _ events: [Event], _ expected: [Witnessed], _ passesAll: Bool, _ isWhole: Bool, last: Int
    ) -> String? {
        var next = 0
        if case .last = wish, !passesAll {
            // It may have been looked at late, and then is no longer known to have passed.
            let said =
                switch events.first {
                case .message(let position): expected.first { $0.position == position }?.sequence ?? 0
                case .gap(let gap, _): gap.from ?? 0
                case nil: Int.max
                }
            next = expected.prefix { $0.sequence < said && $0.sequence <= last - Self.kept }.count
        }
        var gaps: [Gap] = []
        for event in events {
            switch event {
            case .gap(let gap, _): gaps.append(gap)
            case .message(let position):
                guard let found = expected[next...].firstIndex(where: { $0.position == position }) else {
                    return "\(position) is none of \(expected.map(\.position))"
                }
                if let fault = gapFault(gaps, expected[next..<found], passesAll) {
                    return "before \(position): \(fault)"
                }
                (gaps, next) = ([], found + 1)
            }
        }
        return isWhole ? gapFault(gaps, expected[next...], passesAll).map { "before live: \($0)" } : nil
    }

    private func gapFault(_ gaps: [Gap], _ missing: ArraySlice<Witnessed>, _ passesAll: Bool) -> String? {
        for message in missing where !gaps.contains(where: { $0.tells(of: message) }) {
            return "\(message.sequence) is missing, told is \(gaps)"
        }
        for gap in gaps {
            let told = missing.filter { gap.tells(of: $0) }.count
            if gap.reason == "history", gap.to > gap.sequence - Self.kept { return "\(gap), though it is there" }
            if let count = gap.count, let from = gap.from, count != told || count != gap.to - from + 1 {
                return "\(gap)"
            }
            if gap.count == nil, told == 0, passesAll { return "\(gap) for nothing" }
        }
        return nil
    }

    /// The last retained message of each channel that is wanted. One that was replaced before its turn may be missing.
    private func retainedFault(_ life: Life, _ truth: [Witnessed], _ isWhole: Bool) -> String? {
        var last: [String: Witnessed] = [:]
        for message in truth.prefix(life.start) where message.post.isRetained { last[message.post.channel] = message }
        let wanted = last.values.filter { life.wants($0.post) }
        let missing = wanted.filter { !replayed.contains($0.position) }
        if missing.count + replayed.count != wanted.count {
            return "replayed \(replayed) for \(wanted.map(\.position))"
        }
        if !isWhole { return nil }
        let isReplaced = missing.allSatisfy { old in
            truth.dropFirst(life.start).contains { $0.post.isRetained && $0.post.channel == old.post.channel }
        }
        return isReplaced ? nil : "retained \(missing.map(\.position)) is missing"
    }
}
