// notifyctl(1) against notifyctl: each command, option and exit status that the one has, the other has too.

import Foundation
import NotifyTestSupport
import Testing

@Suite("notifyctl(1)")
struct CommandPageTests {
    private let page: ManualPage

    init() throws { page = try ManualPage("notifyctl.1") }

    private func commands() async throws -> [String] {
        try await HelpText("notifyctl").rows("Commands").map { String($0.left.prefix { $0 != " " }) }
    }

    @Test("has a section for each command, in the order of --help")
    func sections() async throws {
        let commands = try await commands()
        #expect(commands.count > 10)
        #expect(page.subsections(of: "COMMANDS") == commands)
    }

    @Test("says how each command is called")
    func usage() async throws {
        for command in try await commands() {
            let line = page.section(command).lines.first.map { MdocLine.text(of: String($0)) } ?? ""
            let usage = try await HelpText("notifyctl", command).usage
            #expect(Self.bare(line) == Self.bare(usage), "\(command)")
        }
    }

    @Test("has the options of each command, and no others")
    func options() async throws {
        for command in try await commands() {
            try compare(page.section(command), try await HelpText("notifyctl", command).options("Options:"), command)
        }
    }

    @Test("has the options of all commands, and no others")
    func globalOptions() async throws {
        try compare(page.section("OPTIONS"), try await HelpText("notifyctl").options("Options, before"), "OPTIONS")
    }

    private func compare(_ section: ManualPage.Section, _ options: [HelpText.Option], _ what: String) throws {
        let items = section.items.filter { $0.head.hasPrefix("-") && $0.head != "-" }
        #expect(items.map { Self.bare($0.head) }.sorted() == options.map { Self.bare($0.synopsis) }.sorted(), "\(what)")
        for option in options {
            guard let standard = option.standard else { continue }
            let item = items.first { Self.bare($0.head) == Self.bare(option.synopsis) }
            let words = (item?.body ?? "").split(separator: " ").map {
                $0.trimmingCharacters(in: .punctuationCharacters)
            }
            #expect(words.contains(standard), "\(what) \(option.synopsis): \(standard)")
        }
    }

    /// An option with a choice, and which words of the page are that choice.
    static let choices: [(command: String, option: String, macro: String?)] = [
        ("post", "--priority", "Cm"), ("listen", "--output", "Cm"), ("listen", "--buffer", nil),
        ("listen", "--format", "Li"),
    ]

    @Test("has what an option can be", arguments: choices)
    func values(of choice: (command: String, option: String, macro: String?)) async throws {
        let value = choice.option == "--format" ? "%!" : "nonsense"
        let answer = try await Command.run(
            Checkout.program("notifyctl"), [choice.command, "a", choice.option, value]
        ).errors
        var known = try #require(answer.firstMatch(of: /(?:none of|there are) (.*)\n/), "\(answer)").1
            .split { $0 == " " || $0 == "," }.map(String.init)
        if choice.option == "--format" { known += ["\\n", "\\t", "\\0", "\\\\"] }
        let items = page.section(choice.command).items
        let item = try #require(items.first { $0.head.hasPrefix(choice.option) })
        let list = ManualPage.Section(title: "", lines: item.lines).items
        let told =
            choice.macro.map { item.words(of: $0) } ?? list.map { String($0.head.prefix { $0 != "[" && $0 != " " }) }
        #expect(Set(told) == Set(known))
    }

    @Test("speaks of no option that there is not")
    func mentions() async throws {
        var known: Set<String> = Set(try await HelpText("notifyctl").options("Options, before").flatMap(\.names))
        for command in try await commands() {
            known.formUnion(try await HelpText("notifyctl", command).options("Options:").flatMap(\.names))
        }
        let told = page.words(of: "Fl").map { "-\($0)" }
        let shown = page.section("EXAMPLES").text.matches(of: /--[a-z-]+/).map { String($0.output) }
        #expect(told.count > 50 && shown.count > 5)
        #expect(Set(told + shown).subtracting(known) == [])
    }

    @Test("has the exit statuses of --help, with their meaning, and the README has them too")
    func statuses() async throws {
        let statuses = try await HelpText("notifyctl").rows("Exit status:")
        let items = page.section("EXIT STATUS").items
        #expect(items.map(\.head) == statuses.map(\.left))
        for (item, status) in zip(items, statuses) {
            let meaning = status.right.prefix(1).uppercased() + status.right.dropFirst()
            #expect(item.body.hasPrefix(meaning), "\(item.head): \(meaning)")
        }
        let table = try Checkout.text(of: "README.md").split(separator: "\n")
            .drop { $0 != "| status | meaning |" }.dropFirst(2).prefix { $0.hasPrefix("|") }
        #expect(table.compactMap { $0.firstMatch(of: /^\| (\S+) \|/).map { String($0.1) } } == statuses.map(\.left))
    }

    @Test("has the variables that notifyctl reads and sets")
    func environment() throws {
        let read = try Environment.read(by: ["notifyctl", "Notify"]).subtracting(Environment.others)
        let set = try Checkout.text(of: "Sources/notifyctl/Process/Jobs.swift").matches(of: /\("(NOTIFY_[A-Z]+)",/)
        let items = page.section("ENVIRONMENT").items.map(\.head)
        // That one is taken away.
        #expect(Set(items) == read.union(set.map { String($0.1) }).subtracting(["NOTIFY_SOCKET"]))
        #expect(page.section("ENVIRONMENT").text.contains("NOTIFY_SOCKET, which"))
    }

    /// Without what only looks otherwise: spaces, and how a repetition is written.
    private static func bare(_ text: String) -> String {
        text.filter { $0 != " " && $0 != "…" }.replacingOccurrences(of: "...", with: "")
    }
}
