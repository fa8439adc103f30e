// What is designed but not there yet: the one list of it. These are refused by name, never ignored, and stay out of
// `--help`. When one arrives, it leaves this file and enters its command's table.

/// Options, values and commands that notifyctl knows of and does not have yet.
enum Later {
    static let commands = ["top", "explain", "completion"]

    /// Options by command: none at present.
    static let options: [String: [Option]] = [:]

    static func refusal(of name: String) -> Failure { .usage("\(name) is not there yet in this version") }
}
