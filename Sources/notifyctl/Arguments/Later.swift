// What is designed but not there yet: the one list of it. These are refused by name, never ignored, and stay out of
// `--help`. When one arrives, it leaves this file and enters the table of commands.

/// Commands that notifyctl knows of and does not have yet.
enum Later {
    static let commands = ["completion"]

    static func refusal(of name: String) -> Failure { .usage("\(name) is not there yet in this version") }
}
