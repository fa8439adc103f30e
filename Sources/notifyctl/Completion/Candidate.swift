// What a shell can offer for a word.

/// A word to offer, and what is said about it.
struct Candidate: Sendable, Equatable {
    var text: String
    var help = ""
}
