// Whole command lines: what they ask for, and which are refused without asking the daemon.

import Notify
import Testing

@testable import notifyctl

@Suite("A command line")
struct RequestTests {
    private func request(_ words: [String]) throws(Failure) -> Request { try Request(words.map { Word($0) }) }

    private func options(_ words: String...) throws -> GlobalOptions {
        guard case .run(_, let options) = try request(words) else { throw Failure(.software, "nothing to run") }
        return options
    }

    @Test("global options stand before the command or after it")
    func globals() throws {
        for words in [
            ["--socket=/s", "-v", "ping"], ["ping", "-v", "--socket", "/s"], ["-v", "ping", "--socket=/s"],
        ] {
            guard case .run(let command, let options) = try request(words) else {
                Issue.record("nothing to run for \(words)")
                continue
            }
            #expect(command is Ping)
            #expect(options.place == .socket("/s"))
            #expect(options.isVerbose)
        }
    }

    @Test("without options the defaults of the manual hold")
    func defaults() throws {
        let options = try options("ping")
        #expect(options == GlobalOptions())
        #expect(options.place == .standard)
        #expect(options.connectTimeout == .seconds(5))
        #expect(options.color == .auto)
    }

    @Test("a daemon is waited for not at all, so long, or for ever")
    func wait() throws {
        #expect(try options("ping").wait == nil)
        #expect(try options("ping", "--wait-for-daemon").wait == .forever)
        #expect(try options("--wait-for-daemon", "ping").wait == .forever)
        #expect(try options("ping", "--wait=1.5m").wait == .atMost(.seconds(90)))
        for wrong in ["x", "0", "-1"] {
            #expect(throws: Failure.self) { try options("ping", "--wait-for-daemon=\(wrong)") }
        }
    }

    @Test("--help and --version are answered everywhere, whatever else is missing")
    func help() throws {
        for command in Commands.all {
            for words in [[command.name, "--help"], [command.name, "-h"], ["--help", command.name]] {
                guard case .show(let text) = try request(words) else {
                    Issue.record("no help for \(words)")
                    continue
                }
                #expect(text.hasPrefix("Usage: notifyctl"))
            }
            guard case .show("notifyctl 0.1.0\n") = try request([command.name, "--version"]) else {
                Issue.record("no version for \(command.name)")
                continue
            }
        }
    }

    @Test("help is a command, too, in front of another one's name or alone")
    func helpCommand() throws {
        let lines = [(["help"], true), (["help", "post"], false), (["-v", "help", "--", "post"], false)]
        for (words, isOverview) in lines {
            guard case .show(let text) = try request(words) else {
                Issue.record("no help for \(words)")
                continue
            }
            #expect(text == (isOverview ? Help.overview : Help.text(of: Post.self)), "\(words)")
        }
    }

    @Test("help tells every option of the table")
    func helpIsTrue() {
        for command in Commands.all {
            let text = Help.text(of: command)
            for option in command.options + GlobalOptions.table {
                #expect(text.contains("--\(option.long)"), "\(command.name) --\(option.long)")
            }
        }
    }

    @Test("every line of help fits a wide terminal")
    func helpWidth() {
        for text in Commands.all.map({ Help.text(of: $0) }) + [Help.overview] {
            for line in text.split(separator: "\n") { #expect(line.count <= 120, "\(line)") }
        }
    }

    @Test("no option or short letter is there twice")
    func tables() {
        for command in Commands.all {
            let table = command.options + GlobalOptions.table
            #expect(Set(table.map(\.long)).count == table.count)
            let letters = table.compactMap(\.short)
            #expect(Set(letters).count == letters.count)
        }
    }

    @Test(
        "a mistake is a usage error with one sentence",
        arguments: [
            ([], "no command; see notifyctl --help"),
            (["pots"], "unknown command 'pots'; did you mean 'post'?"),
            (["subscribe"], "unknown command 'subscribe'; did you mean 'listen'?"),
            (["frobnicate"], "unknown command 'frobnicate'; see notifyctl --help"),
            (["chan"], "unknown command 'chan'; did you mean 'channels'?"),
            (["cl"], "unknown command 'cl'; did you mean 'clear' or 'clients'?"),
            ([""], "unknown command ''; see notifyctl --help"),
            (["help", "chan"], "unknown command 'chan'; did you mean 'channels'?"),
            (["-V"], "unknown option '-V'; did you mean '--version' or '-v'?"),
            (["ping", "-V"], "ping: unknown option '-V'; did you mean '--version' or '-v'?"),
            (["--socket=/s", "ping", "--user"], "ping: --socket and --user exclude each other"),
            (["--user", "ping", "--system"], "ping: --user and --system exclude each other"),
            (["--socket=", "ping"], "ping: --socket: the path is empty"),
            (["ping", "--color=blue"], "ping: --color: 'blue' is none of auto, always, never"),
            (["ping", "--connect-timeout=0"], "ping: --connect-timeout: must be longer than nothing"),
            (["ping", "a"], "ping: 'a' is one word too many"),
            (["ping", "-n0"], "ping: --count: '0' is not a whole number from 1 to 1000000"),
            (["post"], "post: CHANNEL is missing"),
            (["post", "a", "--type="], "post: --type: '' is not 1 to 255 bytes of text without control characters"),
            (["post", "a", "-x"], "post: unknown option '-x'; put -- before a word that begins with a dash"),
            (["post", "a", "1", "2"], "post: '2' is one word too many: the payload is '1'"),
            (["post", "a", "-", "2"], "post: '2' is one word too many: the payload is '-'"),
            (["post", "a", "1", "--text=b"], "post: '1' is one word too many beside --text"),
            (["post", "a", "1", "--lines"], "post: '1' is one word too many beside --lines"),
            (["post", "a", "--lines", "--text=b"], "post: --text and --lines exclude each other"),
            (["post", "a", "--lines=words"], "post: --lines: 'words' is none of json, text"),
            (["get"], "get: CHANNEL is missing"),
            (["get", "a", "b"], "get: 'b' is one word too many"),
            (["bench", "a"], "bench: 'a' is one word too many"),
            (["bench", "--posters=0"], "bench: --posters: '0' is not a whole number from 1 to 64"),
            (["bench", "--listeners=65"], "bench: --listeners: '65' is not a whole number from 1 to 64"),
            (["bench", "--size=1000001"], "bench: --size: '1000001' is not a whole number from 1 to 1000000"),
            (["bench", "-n0"], "bench: --count: '0' is not a whole number from 1 to 1000000000"),
            (["stats", "--json", "--openmetrics"], "stats: --json and --openmetrics exclude each other"),
        ])
    func mistakes(words: [String], sentence: String) {
        #expect(throws: Failure.usage(sentence)) { try request(words) }
    }

    @Test("the payload of post comes from where the words say")
    func postSources() throws {
        let cases: [([String], Post.Source)] = [
            (["a"], .payload(Array("null".utf8))),
            (["a", "-5"], .payload(Array("-5".utf8))),
            (["a", "--", "-5"], .payload(Array("-5".utf8))),
            (["--", "-x", "-5"], .payload(Array("-5".utf8))),
            (["a", " 1 "], .payload(Array("1".utf8))),
            (["a", "--text", "-"], .payload(Array("\"-\"".utf8))),
            (["a", "-"], .standardInput),
            (["a", "--lines"], .lines(asText: false)),
            (["a", "--lines=text"], .lines(asText: true)),
        ]
        for (words, source) in cases {
            guard case .run(let command, _) = try request(["post"] + words), let post = command as? Post else {
                Issue.record("nothing to run for \(words)")
                continue
            }
            #expect(post.source == source)
        }
    }
}
