// What a command is: a name, a table of options, and two steps. Reading the line (`init`) asks nobody; running it talks
// to the daemon.

/// One command of notifyctl.
protocol Command: Sendable {
    static var name: String { get }
    /// What follows the name in the usage line.
    static var operands: String { get }
    static var summary: String { get }
    /// Paragraphs for `--help` after the options.
    static var notes: String { get }
    static var options: [Option] { get }
    /// What the operands stand for, counted from 0.
    static func meaning(ofOperand index: Int) -> Meaning
    static var numbersAreOperands: Bool { get }
    /// All words are operands, whatever they look like.
    static var takesEveryWord: Bool { get }
    /// It goes on until it is told to stop, so it also ends when nobody reads its output any more.
    static var endsWithItsReader: Bool { get }
    /// It wants the main thread for the main actor, and ends with its standard input: it is a process of `bench`.
    static var isWorker: Bool { get }
    /// Signals that it wants to be told of, instead of what they do otherwise.
    static var watchedSignals: [Int32] { get }

    init(_ arguments: Arguments) throws(Failure)
    func run(_ session: Session) async throws(Failure) -> ExitCode
}

extension Command {
    static var notes: String { "" }
    static var options: [Option] { [] }
    static func meaning(ofOperand index: Int) -> Meaning { .text }
    static var numbersAreOperands: Bool { false }
    static var takesEveryWord: Bool { false }
    static var endsWithItsReader: Bool { false }
    static var isWorker: Bool { false }
    static var watchedSignals: [Int32] { [] }
}

/// All commands, in the order of `--help`.
enum Commands {
    static let all: [any Command.Type] = [
        Post.self, Listen.self, Get.self, Clear.self, Cancel.self, Channels.self, Clients.self, Subscriptions.self,
        Stats.self, Top.self, Trace.self, Explain.self,
        Ping.self, Bench.self, Completion.self,
    ]

    /// Those that only notifyctl itself and its scripts call.
    private static let hidden: [any Command.Type] = [BenchWorker.self, Completer.self]

    /// What others call it.
    private static let synonyms = [
        "subscribe": "listen", "sub": "listen", "watch": "listen", "publish": "post", "pub": "post", "send": "post",
        "emit": "post",
    ]

    static func named(_ name: String) throws(Failure) -> any Command.Type {
        if let command = (all + hidden).first(where: { $0.name == name }) { return command }
        let begun = all.filter { !name.isEmpty && $0.name.hasPrefix(name) }.map { "'\($0.name)'" }
        if !begun.isEmpty {
            throw .usage("unknown command '\(name)'; did you mean \(begun.joined(separator: " or "))?")
        }
        if let usual = synonyms[name] { throw .usage("unknown command '\(name)'; did you mean '\(usual)'?") }
        if let nearest = Suggestion.nearest(to: name, among: all.map { $0.name }) {
            throw .usage("unknown command '\(name)'; did you mean '\(nearest)'?")
        }
        throw .usage("unknown command '\(name)'; see notifyctl --help")
    }
}
