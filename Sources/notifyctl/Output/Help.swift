// `--help`, made from the tables that the parser reads.

/// Writes the help texts.
enum Help {
    static var overview: String {
        let commands = Commands.all.map { (Text.line("\($0.name) \($0.operands)"), $0.summary) }
        let statuses = ExitCode.allCases.map { ("\($0.rawValue)", $0.meaning) }
        return """
            Usage: notifyctl [OPTION]… COMMAND …
            Posts notifications to notifyd and listens to them.

            Commands (notifyctl COMMAND --help tells more):
            \(Text.columns(commands))

            Options, before the command or after it:
            \(options(GlobalOptions.table))

            A channel is words joined by dots (shop.cart); in a pattern * stands for one word and a last > for the rest.
            Durations: 500ms, 2s, 1.5h; a plain number is seconds.
            Without an option the socket is $NOTIFYD_SOCKET, else the user's daemon if it is there, else the system's.

            Exit status:
            \(Text.columns(statuses))
              128+n  ended by signal n (130 for Ctrl-C)

            Manual: notifyctl(1)

            """
    }

    static func text(of command: any Command.Type) -> String {
        var text = "Usage: notifyctl \(Text.line("\(command.name) \(command.operands)"))\n\(command.summary)\n"
        if !command.options.isEmpty { text += "\nOptions:\n\(options(command.options))\n" }
        if !command.notes.isEmpty { text += "\n\(command.notes)\n" }
        return text + "\nOptions of every command:\n\(options(GlobalOptions.table))\n"
    }

    private static func options(_ options: [Option]) -> String {
        Text.columns(options.map { ($0.synopsis, $0.help) })
    }

    private enum Text {
        static func line(_ text: String) -> String { text.last == " " ? String(text.dropLast()) : text }

        /// Two columns; a left cell that is too long gets a line of its own.
        static func columns(_ rows: [(left: String, right: String)]) -> String {
            let longest = 28
            let width = rows.map(\.left.count).filter { $0 <= longest }.max() ?? 0
            return rows.map { left, right in
                let gap = String(repeating: " ", count: max(0, width - left.count))
                return left.count <= longest
                    ? "  \(left)\(gap)  \(right)"
                    : "  \(left)\n  \(String(repeating: " ", count: width))  \(right)"
            }.joined(separator: "\n")
        }
    }
}
