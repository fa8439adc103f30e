// What an option is. A command has one table of these; the parser, `--help` and the completion of shells
// all read it, so none can lie.

/// An option of the command line.
struct Option: Sendable, Equatable {
    /// Whether an argument follows, and what `--help` calls it.
    enum Argument: Sendable, Equatable {
        case none
        case required(String)
        case optional(String)
        /// Everything that follows on the command line.
        case rest(String)
    }

    var long: String
    var short: Character?
    var argument: Argument
    /// What the argument stands for.
    var meaning: Meaning
    var help: String

    init(
        _ long: String, short: Character? = nil, _ argument: Argument = .none, _ meaning: Meaning = .text, help: String
    ) {
        self.long = long
        self.short = short
        self.argument = argument
        self.meaning = meaning
        self.help = help
    }

    /// The left column of `--help`.
    var synopsis: String {
        let dash = short.map { "-\($0), " } ?? "    "
        return switch argument {
        case .none: "\(dash)--\(long)"
        case .required(let name): "\(dash)--\(long)=\(name)"
        case .optional(let name): "\(dash)--\(long)[=\(name)]"
        case .rest(let name): "\(dash)--\(long) \(name)"
        }
    }
}
