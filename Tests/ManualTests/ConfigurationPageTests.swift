// notifyd.conf(5) against notifyd: which keys there are in each object, their types and bounds, is what the daemon says of
// keys and values that are wrong; their defaults are those of --print-config.

import Foundation
import NotifyTestSupport
import Testing

@Suite("notifyd.conf(5)")
struct ConfigurationPageTests {
    /// An object of the configuration, and where the page has its keys.
    struct Place: Sendable, CustomTestStringConvertible {
        var section: String
        var depth = 1
        /// The file with these members in that object.
        var file: @Sendable (String) -> String

        var testDescription: String { "\(section) \(depth)" }

        static let all = [
            Place(section: "KEYS") { "{ \($0) }" },
            Place(section: "LIMITS") { "{ limits: { \($0) } }" },
            Place(section: "CHANNELS") {
                "{ channels: [{ \($0.hasPrefix("pattern") ? "" : "pattern: 'a', ")\($0) }] }"
            },
            Place(section: "CHANNELS", depth: 2) { "{ channels: [{ pattern: 'a', history: { \($0) } }] }" },
            Place(section: "QUOTAS") { "{ quotas: [{ \($0.hasPrefix("limits") ? "uid: 1, " : "")\($0) }] }" },
            Place(section: "ACCESS") { member in
                "{ access: [{ \(member.hasPrefix("allow") || member.hasPrefix("deny") ? "" : "allow: 'all', ")\(member) }] }"
            },
        ]
    }

    private let page: ManualPage
    private let directory: TemporaryDirectory

    init() throws {
        page = try ManualPage("notifyd.conf.5")
        directory = try TemporaryDirectory()
    }

    /// What the daemon says of a file.
    private func check(_ text: String, _ option: String = "--check-config") async throws -> Command.Outcome {
        let file = directory.path("notifyd.json5")
        try Data(text.utf8).write(to: URL(filePath: file))
        return try await Command.run(Checkout.program("notifyd"), [option, "--config", file])
    }

    private func items(_ place: Place) -> [(key: String, head: String)] {
        page.section(place.section).items(atDepth: place.depth).map { item in
            (String(item.head.prefix { $0 != ":" && $0 != " " }), item.head)
        }
        // Lists of something else have no type in their heads.
        .filter { $0.head.hasSuffix(")") }
    }

    @Test("has all keys of each object, and no others", arguments: Place.all)
    func keys(place: Place) async throws {
        let answer = try await check(place.file("nonsense: 1")).errors
        let known = try #require(answer.firstMatch(of: /unknown key; there are ([a-z_, ]+)/), "\(answer)").1
        #expect(Set(items(place).map(\.key)) == Set(known.split(separator: ", ").map(String.init)))
    }

    @Test("has the type or the bounds of each key", arguments: Place.all)
    func types(place: Place) async throws {
        for (key, head) in items(place) {
            let answer = try await check(place.file("\(key): -1")).errors
            let expected: String
            if let bounds = answer.firstMatch(of: /integer from (\d+) to (\d+)/) {
                expected = "\(Self.unit(of: key)), \(bounds.1) to \(bounds.2)"
            } else {
                let words = try #require(answer.firstMatch(of: /expected (.*)\n/), "\(key): \(answer)").1
                expected = String(words).replacing(/\ban?\s/, with: "").replacing(" in quotes", with: "")
            }
            #expect(answer.contains(key), "\(answer)")
            #expect(head.hasSuffix(" (\(expected))"), "\(head): \(expected)")
        }
    }

    /// What an integer counts, as its name says it.
    private static func unit(of key: String) -> String {
        let parts = Set(key.split(separator: "_"))
        if key.contains("_per_s") {
            return (key.hasPrefix("bytes") ? "bytes" : key.hasPrefix("messages") ? "requests" : "connections")
                + " per second"
        }
        for (part, unit) in [
            ("bytes", "bytes"), ("us", "microseconds"), ("ms", "milliseconds"), ("s", "seconds"), ("uid", "number"),
            ("gid", "number"), ("messages", "messages"), ("posts", "posts"), ("clients", "connections"),
        ] where parts.contains(part[...]) && !(part == "uid" && parts.count > 1) {
            return unit
        }
        return String(key.prefix { $0 != "_" })
    }

    @Test("has the default of each key that has one")
    func defaults() async throws {
        let standard = try await printed("{}")
        try compare(Place.all[0], standard)
        try compare(Place.all[1], try #require(standard["limits"]?.members))
        guard case .array(let rules) = try await printed("{ channels: [{ pattern: 'a' }] }")["channels"] else {
            throw HelpText.Failure("no rules")
        }
        var rule = try #require(rules.first?.members)
        try compare(Place.all[3], try #require(rule["history"]?.members))
        rule["pattern"] = nil
        try compare(Place.all[2], rule)
    }

    private func printed(_ file: String) async throws -> [String: Value] {
        let outcome = try await check(file, "--print-config")
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        return try decoder.decode([String: Value].self, from: Data(outcome.output.utf8))
    }

    private func compare(_ place: Place, _ values: [String: Value]) throws {
        for (key, head) in items(place) {
            let shown = head.firstMatch(of: /^[a-z_]+: (.*) \(/).map { String($0.1) }
            // Objects have the defaults of their members; what is not printed has none.
            #expect(shown == values[key]?.text, "\(head)")
        }
    }

    private enum Value: Decodable {
        case object([String: Value])
        case array([Value])
        case plain(String)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let object = try? container.decode([String: Value].self) {
                self = .object(object)
            } else if let array = try? container.decode([Value].self) {
                self = .array(array)
            } else if let flag = try? container.decode(Bool.self) {
                self = .plain("\(flag)")
            } else if let number = try? container.decode(Int.self) {
                self = .plain("\(number)")
            } else {
                self = .plain("\"\(try container.decode(String.self))\"")
            }
        }

        var members: [String: Value]? { if case .object(let members) = self { members } else { nil } }

        /// nil for an object.
        var text: String? {
            switch self {
            case .object: nil
            case .array(let values): "[\(values.map { $0.text ?? "{}" }.joined(separator: ", "))]"
            case .plain(let text): text
            }
        }
    }

    @Test("has the limits that a quota can say, and no others")
    func quotas() async throws {
        let answer = try await check("{ quotas: [{ uid: 1, limits: { nonsense: 1 } }] }").errors
        let known = try #require(answer.firstMatch(of: /unknown key; there are ([a-z_, ]+)/), "\(answer)").1
        let lines = page.section("QUOTAS").lines.drop { !$0.hasPrefix(".It Ic limits") }.dropFirst()
            .prefix { $0 != ".El" }
        let told = lines.filter { $0.hasPrefix(".") }.flatMap { MdocLine.words(of: "Ic", in: $0) }
        #expect(told.sorted() == known.split(separator: ", ").map(String.init).sorted())
    }

    @Test("says how many rules there may be", arguments: ["channels", "quotas", "access"])
    func count(key: String) async throws {
        let rule = ["channels": "{pattern:'a'}", "quotas": "{uid:1,limits:{}}", "access": "{allow:'all'}"][key] ?? ""
        let told = try #require(page.section(key.uppercased()).text.firstMatch(of: /at most (\d+) of them/)).1
        let most = try #require(Int(told))
        func file(_ count: Int) -> String {
            "{\(key):[\(Array(repeating: rule, count: count).joined(separator: ","))]}"
        }
        #expect(try await check(file(most)).status == 0)
        #expect(try await check(file(most + 1)).errors.contains("more than \(most) "))
    }

    @Test("has the rights that a rule can give, and no others")
    func rights() async throws {
        let answer = try await check("{ access: [{ allow: 'nonsense' }] }").errors
        let known = try #require(answer.firstMatch(of: /expected (.*)/), "\(answer)").1.matches(of: /"(\w+)"/)
        let told = page.section("ACCESS").items(atDepth: 2).map(\.head)
        #expect(told == known.map { String($0.1) })
    }

    @Test("has the levels of the log, and no others")
    func levels() async throws {
        let answer = try await check("{ log_level: 'nonsense' }").errors
        let known = try #require(answer.firstMatch(of: /expected one of (.*)/), "\(answer)").1
        let told = page.section("KEYS").items.first { $0.head.hasPrefix("log_level") }?.body ?? ""
        #expect(told.contains(known.replacing(", debug", with: " or debug")), "\(known)")
    }

    @Test("shows an example that is good")
    func examples() async throws {
        let shown = page.section("EXAMPLES").lines.drop { !$0.hasPrefix(".Bd") }.dropFirst().prefix { $0 != ".Ed" }
        // The people in it are not on every machine.
        let text = shown.joined(separator: "\n").replacing("user: \"alice\"", with: "uid: 1000")
            .replacing("group: \"staff\"", with: "gid: 50")
        let outcome = try await check(text)
        #expect(!shown.isEmpty && outcome.status == 0, "\(outcome.summary)")
    }
}
