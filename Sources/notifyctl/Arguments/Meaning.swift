// What a word of the command line stands for. Options and operands say so in their tables; a shell that completes a word
// learns from here what it can offer, and a word that is none of the known ones is refused by the same list.

/// What a word stands for.
enum Meaning: Sendable, Equatable {
    /// Anything: nothing can be offered for it.
    case text
    /// One of these.
    case words([String])
    case channel, pattern
    case file, user, group
    /// A program, of which words of its own follow.
    case program

    /// Refuses a word that is none of those known.
    static func refusal(of word: String, among known: [String]) -> String {
        let nearest = Suggestion.nearest(to: word, among: known).map { "; did you mean '\($0)'?" } ?? ""
        return "'\(Printable.text(word))' is none of \(known.joined(separator: ", "))\(nearest)"
    }
}
