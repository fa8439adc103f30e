// What can stand at the cursor, told from the words before it.

import Testing

@testable import notifyctl

@Suite("The outlook of an unfinished line")
struct OutlookTests {
    /// The last word is the one that is being typed.
    private func outlook(_ line: String) -> Outlook? {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        return Outlook(before: words.dropLast().map { Word($0) }, current: words.last ?? "")
    }

    @Test(
        "is a command first, whatever options stand before it",
        arguments: ["", "po", "-v ", "--socket=/s ", "--socket /s ", "--sock /s -v ", "-- "])
    func command(line: String) {
        #expect(outlook(line)?.place == .command)
    }

    static let words: [(String, Meaning)] = [
        ("--socket ", .file), ("--socket=/t", .file), ("-v --color ", .words(["auto", "always", "never"])),
        ("--colo=a", .words(["auto", "always", "never"])),
        ("post ", .channel), ("post -v ", .channel), ("post -tT --retain sh", .channel), ("post -t T ", .channel),
        ("post a ", .text), ("post -- ", .channel), ("post a -t ", .text),
        ("post a --priority ", .words(["low", "normal", "high"])), ("post a --lines=", .words(["json", "text"])),
        ("post a --lines ", .text), ("post -5 ", .text),
        ("listen ", .pattern), ("listen a b ", .pattern), ("listen a --socket ", .file),
        ("listen --output=", .words(["pretty", "json", "payload", "cloudevents"])), ("listen --json=", .text),
        ("listen --buffer ", .words(["newest", "oldest", "latest", "fail", "block"])),
        ("listen -vn ", .text), ("listen -vn 3 ", .pattern), ("listen -n3 ", .pattern),
        ("listen a --exec ", .program), ("listen a --exec cat ", .file), ("listen a --exec cat -", .file),
        ("listen a --exec=", .text), ("get ", .channel), ("get a ", .text), ("clear ", .channel),
        ("channels ", .pattern), ("channels a ", .text), ("subscriptions ", .pattern), ("trace ", .pattern),
        ("explain ", .words(["post", "listen", "observe", "block", "admin"])), ("explain post ", .channel),
        ("explain post a ", .text), ("explain --uid ", .user), ("explain post --group=", .group),
        ("completion ", .words(["bash", "zsh", "fish"])), ("ping ", .text), ("post - ", .text),
        ("listen -- -", .pattern), ("listen -- --output=", .pattern),
    ]

    @Test("is what the option or the operand stands for", arguments: words)
    func word(line: String, meaning: Meaning) {
        #expect(outlook(line)?.place == .word(meaning), "\(line)")
    }

    @Test("is the command's options after a dash, those that are there left out")
    func options() {
        guard case .option(let found) = outlook("listen -v a --json -")?.place else {
            Issue.record("no options")
            return
        }
        let all = Listen.options + GlobalOptions.table
        #expect(found == all.filter { $0 != .verbose && $0 != .json })
        #expect(outlook("--so")?.place == .option(GlobalOptions.table))
    }

    @Test("keeps the name of an option that is in the same word")
    func front() {
        #expect(outlook("listen --output=p")?.front == "--output=")
        #expect(outlook("listen p")?.front == "")
        #expect(outlook("get a=")?.front == "")
    }

    @Test("knows which daemon the line is about, wherever that is said")
    func daemon() {
        #expect(outlook("--socket=/s get ")?.options?.place == .socket("/s"))
        #expect(outlook("get --socket /s ")?.options?.place == .socket("/s"))
        #expect(outlook("--user get ")?.options?.place == .user)
        #expect(outlook("get ")?.options?.place == .standard)
        #expect(outlook("--user get --system ")?.options == nil, "they exclude each other")
    }

    @Test(
        "is nothing where there is a mistake already",
        arguments: ["frob ", "--nope get ", "get --nope ", "bench-worker "])
    func mistakes(line: String) {
        #expect(outlook(line) == nil)
    }

    @Test("every option with a choice refuses what is none of it, and tells the nearest")
    func choices() {
        for command in Commands.all {
            for option in command.options + GlobalOptions.table where option != .replay && option != .buffer {
                guard case .words(let words) = option.meaning else { continue }
                let slip = words[0] + "x"
                let line = [command.name, "a", "--\(option.long)=\(slip)"].map { Word($0) }
                let sentence =
                    "--\(option.long): '\(slip)' is none of \(words.joined(separator: ", "));"
                    + " did you mean '\(words[0])'?"
                // Some commands take no operand, and say so first.
                let bare = [line[0], line[2]]
                #expect(throws: Failure.usage("\(command.name): \(sentence)")) {
                    _ = try Request(command.meaning(ofOperand: 0) == .text ? bare : line)
                }
            }
        }
    }
}
