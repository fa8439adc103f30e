// What random plays have to come to: a model that nothing happens in would be content with everything.

extension Play {
    static let goals = [
        "overflow", "expired", "coalesced", "an end by overflow", "a member's death", "a held poster",
        "a failed commit",
        "a double", "a conflict", "nobody", "a cancelled schedule", "a replaced post", "a will", "a long replay",
        "history",
    ]

    var reached: Set<String> {
        var reached = Set(lives.flatMap(\.gaps).compactMap(\.reason))
        reached.formUnion(lives.compactMap(\.past).flatMap(\.gaps).compactMap(\.reason))
        if lives.contains(where: \.hasOverflowed) { reached.insert("an end by overflow") }
        if circles.contains(where: { circle in circle.members.contains { $0.isCut } && circle.members.count > 1 }) {
            reached.insert("a member's death")
        }
        if !failedPieces.isEmpty { reached.insert("a failed commit") }
        if !doubles.isEmpty { reached.insert("a double") }
        if truth.contains(where: \.post.isWill) { reached.insert("a will") }
        return reached.union(met)
    }
}
