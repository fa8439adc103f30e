// `completion`: the script that a shell reads. It knows nothing itself: it asks this program (Completer.swift), so that a
// shell never offers what another version of notifyctl has.

/// Prints a shell's completion script.
struct Completion: Command {
    static let name = "completion"
    static let operands = "bash|zsh|fish"
    static let summary = "Prints the script that lets a shell complete commands, options and channels."
    static let notes = """
        In the files that start a shell:
          bash  source <(notifyctl completion bash)
          zsh   source <(notifyctl completion zsh), after compinit
          fish  notifyctl completion fish | source
        `make install` and packages put the scripts where shells find them by themselves. Channels come from a daemon that
        is running: none is started for it, and one that does not answer within 0.3 seconds is not waited for.
        """

    static func meaning(ofOperand index: Int) -> Meaning {
        index == 0 ? .words(Shell.allCases.map(\.rawValue)) : .text
    }

    var shell: Shell

    init(_ arguments: Arguments) throws(Failure) {
        let name = try arguments.operands(1...1, "SHELL")[0].text("shell")
        guard let shell = Shell(rawValue: name) else {
            throw .usage("shell \(Meaning.refusal(of: name, among: Shell.allCases.map(\.rawValue)))")
        }
        self.shell = shell
    }

    func run(_ session: Session) async throws(Failure) -> ExitCode {
        var output = session.makeOutput()
        output.add(shell.script)
        try output.flush()
        return .done
    }
}
