// A shell on a terminal whose keys the test presses, as somebody who completes words by Tab does.

import Foundation
import NotifyTestSupport
import Testing

/// A shell that has read our completion script.
struct ShellSession: Sendable {
    /// The ways that a script comes into a shell.
    enum Kind: String, CaseIterable, Sendable {
        case bash
        case bashWithItsLibrary = "bash with bash-completion, which finds the script by itself"
        case zsh
        case zshFunction = "zsh that finds the script on its fpath"
        case fish
        case fishFile = "fish that finds the script by itself"

        var shell: String {
            switch self {
            case .bash, .bashWithItsLibrary: "bash"
            case .zsh, .zshFunction: "zsh"
            case .fish, .fishFile: "fish"
            }
        }
    }

    private let terminal: TerminalSession
    private let directory: TemporaryDirectory
    /// Writes down what stands on the shell's line, each time that the shell is told to.
    private let lines: RunningTool

    init(_ kind: Kind, socket: String) async throws {
        directory = try TemporaryDirectory()
        let fifo = directory.path("line")
        #expect(try await Command.run("mkfifo", [fifo]).status == 0)
        // One process, which ends when it is told to: a child would outlive it, and keep it from being waited for. Opened
        // for writing, too, the pipe has no end.
        lines = try RunningTool("/bin/sh", ["-c", "exec cat 0<> \"$0\"", fifo])
        let script = try await Command.run(Checkout.program("notifyctl"), ["completion", kind.shell]).output
        try Self.write(kind, script, fifo, directory)
        let arguments =
            switch kind.shell {
            case "bash": ["--noprofile", "--rcfile", directory.path("bashrc"), "-i"]
            case "zsh": ["--no-globalrcs", "-i"]
            default: ["-i"]
            }
        terminal = try await TerminalSession(
            columns: 120, rows: 30, try await Self.program(kind.shell), arguments,
            environment: [
                "HOME": directory.url.path, "ZDOTDIR": directory.url.path, "XDG_CONFIG_HOME": directory.url.path,
                "XDG_DATA_HOME": directory.url.path, "NOTIFYD_SOCKET": socket,
                "PATH": "\(Checkout.products.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "")",
            ])
        try await terminal.ask("await ready> ")
    }

    private static func program(_ shell: String) async throws -> String {
        let found = try await Command.run("sh", ["-c", "command -v \(shell)"]).output
        return try #require(
            found.split(separator: "\n").first.map(String.init), "\(shell) is needed: make needed-to-test")
    }

    /// The files that the shell reads first: the script, a prompt, and Ctrl-X for its line.
    private static func write(
        _ kind: Kind, _ script: String, _ fifo: String, _ directory: TemporaryDirectory
    ) throws {
        func file(_ name: String, _ text: String) throws {
            let file = directory.url.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        let dump = "'printf \"%s\\n\" \"$READLINE_LINE\" > \(fifo)'"
        switch kind {
        case .bash, .bashWithItsLibrary:
            // The library finds the script when it is needed first.
            let isFile = kind == .bashWithItsLibrary
            if isFile { try file("bash-completion/completions/notifyctl", script) }
            let start = isFile ? ". /usr/share/bash-completion/bash_completion" : script
            try file("bashrc", "\(start)\nPS1='ready> '\nbind -x '\"\\C-x\":'\(dump)\nunset HISTFILE\n")
        case .zsh, .zshFunction:
            let isFunction = kind == .zshFunction
            if isFunction { try file("functions/_notifyctl", script) }
            try file(
                ".zshrc",
                """
                \(isFunction ? "fpath=($ZDOTDIR/functions $fpath)" : "")
                autoload -Uz compinit; compinit -u -d $ZDOTDIR/dump
                \(isFunction ? "" : script)
                show-line() { print -r -- "$BUFFER" > \(fifo) }
                zle -N show-line; bindkey -r '^X'; bindkey '^X' show-line; PS1='ready> '

                """)
        case .fish, .fishFile:
            if kind == .fishFile { try file("fish/completions/notifyctl.fish", script) }
            try file(
                "fish/config.fish",
                """
                function fish_prompt; printf 'ready> '; end
                set -g fish_greeting; set -g fish_autosuggestion_enabled 0; bind \\cx 'commandline > \(fifo)'
                \(kind == .fish ? script : "")

                """)
        }
    }

    /// What stands on the line after somebody has typed this and pressed Tab.
    ///
    /// - Parameter expected: a machine that is busy may not answer in the time that completion has: then somebody presses
    ///   Tab again, as long as nothing has changed.
    func complete(_ line: String, expecting expected: String) async throws -> String {
        var shown = line
        for _ in 0..<20 {
            // The terminal's script reads escapes.
            let keys = line.replacingOccurrences(of: "\\", with: "\\\\")
            try await terminal.ask("keys \(keys)\\t\\x18")
            shown = try #require(await lines.output.next())
            try await terminal.ask("keys \\x15")
            if shown != line || expected == line { break }
        }
        return shown
    }
}
