// "Did you mean …?": the known word that takes the fewest letters more and less, if that is no more than half of it.

extension Sequence<String> {
    /// The word among these that a typing slip was meant to be; nil if all are far.
    package func nearest(to word: String) -> String? {
        // To compare takes the longer the longer it is, and nobody has mistyped so much.
        guard word.unicodeScalars.count <= 100 else { return nil }
        let changes = map { (word: $0, count: $0.difference(from: word).count) }
        guard let best = changes.min(by: { $0.count < $1.count }) else { return nil }
        return best.count <= Swift.max(2, Swift.max(best.word.count, word.count) / 2) ? best.word : nil
    }
}
