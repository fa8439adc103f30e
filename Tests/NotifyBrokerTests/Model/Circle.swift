// One life of a group: whatever its members come and go, each message goes to one of them, or one of them is told.

final class Circle {
    struct Key: Hashable {
        let uid: UInt32
        let pattern: String
        let name: String
    }

    let key: Key
    /// What all members wish alike.
    let wishes: Life.Wishes
    let start: Int
    private(set) var end = Int.max
    /// All that there ever were.
    var members: [Life] = []
    /// What a client had begun to read, or an overflowed member has lost, may be missing without being told.
    var isUncertain = false

    init(key: Key, wishes: Life.Wishes, start: Int) {
        (self.key, self.wishes, self.start) = (key, wishes, start)
    }

    func end(at position: Int, isCut: Bool) {
        end = position
        if isCut { isUncertain = true }
    }

    func fault(_ truth: [Witnessed]) -> String? {
        let label = "group \(key.name) on \(key.pattern) of \(key.uid)"
        let expected = truth[min(start, truth.count)..<min(end, truth.count)].filter { message in
            members.contains { $0.wants(message.post) }
        }
        var left = Dictionary(uniqueKeysWithValues: expected.map { ($0.position, $0) })
        for member in members {
            for case .message(let position, _) in member.events {
                guard let found = left.removeValue(forKey: position) else {
                    return "\(label): message \(position) came twice or is none of its own, to \(member.label)"
                }
                if !member.wants(found.post) { return "\(label): \(position) to \(member.label), its poster" }
            }
        }
        let gaps = members.flatMap(\.gaps)
        for channel in Set(expected.map(\.post.channel)).union(gaps.compactMap(\.channel)) {
            let own = gaps.filter { $0.channel == channel }
            let missing = left.values.filter { $0.post.channel == channel }
            let told = own.reduce(0) { $0 + $1.count }
            if told > missing.count || !isUncertain && wishes.echo && told < missing.count {
                return "\(label): \(told) told of \(missing.map(\.position).sorted()) missing of \(channel)"
            }
            let numbers = Set(missing.map(\.sequence))
            for gap in own where !numbers.contains(gap.from) || !numbers.contains(gap.to) { return "\(label): \(gap)" }
        }
        return nil
    }
}
