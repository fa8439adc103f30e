// "Did you mean …?": the nearest of the known words, if it is near enough to be what was meant.

/// Finds the word a typing slip was meant to be.
enum Suggestion {
    /// The nearest of `words`, if at most a third of it (at least one letter) is wrong.
    static func nearest(to word: String, among words: [String]) -> String? {
        let typed = Array(word.utf8)
        var best: (word: String, distance: Int)?
        for candidate in words {
            let letters = Array(candidate.utf8)
            let allowed = max(1, max(typed.count, letters.count) / 3)
            let distance = distance(typed, letters)
            if distance <= allowed, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.word
    }

    /// How many letters to insert, drop, change or swap with their neighbour to get from one word to the other.
    static func distance(_ from: [UInt8], _ to: [UInt8]) -> Int {
        if from.isEmpty || to.isEmpty { return max(from.count, to.count) }
        var beforeLast = [Int](repeating: 0, count: to.count + 1)
        var last = Array(0...to.count)
        for (row, letter) in from.enumerated() {
            var current = [row + 1]
            for (column, other) in to.enumerated() {
                var cost = min(
                    last[column + 1] + 1, current[column] + 1, last[column] + (letter == other ? 0 : 1))
                if row > 0, column > 0, letter == to[column - 1], from[row - 1] == other {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            beforeLast = last
            last = current
        }
        return last[to.count]
    }
}
