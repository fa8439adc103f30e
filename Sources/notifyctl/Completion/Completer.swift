// `__complete`: what the completion scripts ask. It says nothing when something is wrong, and never waits for long: a
// person has pressed a key and sees nothing meanwhile.

import Notify

/// Answers a shell.
struct Completer: Command {
    static let name = "__complete"
    static let operands = "SHELL WORD…"
    static let summary = "Answers the scripts of completion."
    static let takesEveryWord = true

    /// After this time there is no answer.
    private static let patience = Duration.milliseconds(300)

    private let shell: Shell?
    private let words: [Word]

    init(_ arguments: Arguments) throws(Failure) {
        shell = arguments.operands.first.flatMap { Shell(rawValue: $0.shown) }
        words = Array(arguments.operands.dropFirst())
    }

    func run(_ session: Session) async throws(Failure) -> ExitCode {
        session.watch.set("completion", after: Self.patience) { leave(.done) }
        guard let answer = await answer(session), !answer.isEmpty else { return .done }
        var output = session.makeOutput()
        for line in answer { output.add(line: line) }
        try? output.flush()
        return .done
    }

    /// The lines for the shell.
    private func answer(_ session: Session) async -> [String]? {
        switch shell {
        case .bash:
            guard words.count == 2, let line = BashLine(words[0], replacing: words[1]) else { return nil }
            if line.isRedirection { return ["files"] }
            return await answer(line.before, line.current, session) { line.quoted($0.text) }
        case .zsh, .fish:
            guard let current = words.last, let text = String(validating: current.bytes, as: UTF8.self) else {
                return nil
            }
            return await answer(Array(words.dropLast()), text, session) { candidate in
                // The description comes after the first colon that is not escaped.
                let isZsh = shell == .zsh
                let word =
                    isZsh
                    ? candidate.text.split(separator: ":", omittingEmptySubsequences: false)
                        .joined(separator: "\\:") : candidate.text
                return candidate.help.isEmpty ? word : word + (isZsh ? ":" : "\t") + candidate.help
            }
        case nil: return nil
        }
    }

    private func answer(
        _ before: [Word], _ current: String, _ session: Session, line: (Candidate) -> String?
    ) async -> [String]? {
        guard let outlook = Outlook(before: before, current: current) else { return nil }
        let candidates: [Candidate]
        var kind = "words"
        switch outlook.place {
        case .command: candidates = Commands.all.map { Candidate(text: $0.name, help: $0.summary) }
        case .option(let options):
            candidates = options.map { Candidate(text: "--\($0.long)", help: $0.help) }
            if shell == .zsh { kind = "options" }
        case .word(.words(let words)): candidates = words.map { Candidate(text: outlook.front + $0) }
        case .word(.channel), .word(.pattern):
            let typed = String(current.dropFirst(outlook.front.count))
            candidates = await ChannelNames(outlook, typed: typed).candidates(session)
        case .word(.file): return ["files"]
        case .word(.user): return ["users"]
        case .word(.group): return ["groups"]
        case .word(.program): return ["programs"]
        case .word(.text): return nil
        }
        let fitting = candidates.filter { $0.text.utf8.starts(with: current.utf8) }.compactMap(line)
        return fitting.isEmpty ? nil : [kind] + fitting
    }
}
