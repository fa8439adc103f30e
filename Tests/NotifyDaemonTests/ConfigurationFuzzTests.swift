// Configuration files that nobody would write: made from a grammar, then broken in some places. Whatever comes, the answer
// is a configuration or a sentence about the file; and what was understood can be printed and read again.
//
// CONFIGURATION_FUZZ=N makes N files instead of a few thousand; CONFIGURATION_SEED=N repeats one.

import Foundation
import NotifyBroker
import NotifyTestSupport
import Testing

@testable import NotifyDaemon

@Suite("Configurations made up at random")
struct ConfigurationFuzzTests {
    private static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

    private static let seeds: Range<Int> =
        number("CONFIGURATION_SEED").map { $0..<($0 + 1) } ?? 0..<(number("CONFIGURATION_FUZZ") ?? 3000)

    private static let names = NameService(
        user: { $0 == "alice" ? .found(1000) : $0 == "ill" ? .failed(EIO) : .unknown },
        group: { $0 == "staff" ? .found(50) : .unknown })

    private func parse(_ text: [UInt8]) throws(ConfigurationError) -> Configuration {
        var configuration = Configuration()
        let source = ConfigurationSource(file: "made.json5", names: Self.names)
        for setting in try ConfigurationFile.parse(Data(text), source).settings { setting(&configuration) }
        return configuration
    }

    @Test("are understood or refused with a sentence, and come out as they went in")
    func anything() throws {
        var accepted = 0
        for seed in Self.seeds {
            var writer = ConfigurationWriter(random: SplitMix(state: UInt64(seed)))
            let text = writer.file()
            do throws(ConfigurationError) {
                let configuration = try parse(text)
                accepted += 1
                let printed = configuration.description
                do throws(ConfigurationError) {
                    let again = try parse([UInt8](printed.utf8))
                    #expect(again.description == printed, "seed \(seed)")
                    #expect(again.withoutOrigins == configuration.withoutOrigins, "seed \(seed): \(printed)")
                } catch {
                    Issue.record("seed \(seed): \(error): \(printed)")
                }
            } catch {
                #expect(error.file == "made.json5" && !error.reason.isEmpty, "seed \(seed)")
            }
        }
        // The grammar is worth something only when much of what it makes is right.
        if Self.seeds.count > 1000 { #expect(accepted > Self.seeds.count / 20) }
    }
}

extension Configuration {
    /// Where a rule stands is not printed, and how it was written may be put otherwise.
    fileprivate var withoutOrigins: Configuration {
        var copy = self
        for index in copy.accessRules.indices {
            (copy.accessRules[index].origin, copy.accessRules[index].text) = ("", "")
        }
        return copy
    }
}

/// Writes a file, mostly right, and then breaks it now and then.
private struct ConfigurationWriter {
    var random: SplitMix

    mutating func file() -> [UInt8] {
        var bytes = [UInt8](object(depth: 0, topKeys).utf8)
        for _ in 0..<(random.once(in: 2) ? 0 : Int.random(in: 1...3, using: &random)) where !bytes.isEmpty {
            let place = Int.random(in: bytes.indices, using: &random)
            switch random.next() % 4 {
            case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
            case 1: bytes.remove(at: place)
            case 2: bytes.insert(random.pick([UInt8]("{}[]:,'\"\\/*0 \n\u{0}".utf8)), at: place)
            default: bytes.removeSubrange(place...)
            }
        }
        return bytes
    }

    private let topKeys = [
        "socket", "mode", "log_level", "spin_us", "state_directory", "limits", "channels", "access", "quotas",
    ]

    private mutating func object(depth: Int, _ keys: [String]) -> String {
        let count = Int.random(in: 0...4, using: &random)
        var chosen = keys.shuffled(using: &random).prefix(count)
        if random.once(in: 30) { chosen.append(chosen.first ?? "a") }
        let members = chosen.map { key in
            // "limits of a quota" is written `limits`.
            let written = key.split(separator: " ")[0]
            let name = random.pick([written, "\"\(written)\"", "'\(written)'"])
            return "\(name): \(value(of: random.once(in: 20) ? "nonsense" : key, depth: depth + 1))"
        }
        return
            "{\(members.joined(separator: random.pick([",", ", // and\n", ",/**/"])))\(random.once(in: 9) ? "," : "")}"
    }

    private mutating func value(of key: String, depth: Int) -> String {
        guard depth < 40 else { return "null" }
        switch key {
        case "socket", "state_directory": return string(["/run/x", "@x", "/a b", "/é", "/q\\\"q", "/a\\nb", "rel", ""])
        case "mode": return string(["0600", "660", "0777", "1000", "8", "0x1"])
        case "log_level": return string(["error", "debug", "loud"])
        case "limits":
            return object(depth: depth, Configuration.limitKeys.map(\.name) + (random.once(in: 9) ? ["clientz"] : []))
        case "channels": return list(depth) { $0.object(depth: depth, ["pattern", "history", "persist"]) }
        case "history": return object(depth: depth, ["messages", "bytes", "age_s"])
        case "pattern":
            return string(["a.>", "a.*.b", ">", "q\\\"uote.x", "a..b", "é.\u{1F600}", "user.1.>", "a\\u0000"])
        case "channels of a rule":
            return random.once(in: 2)
                ? value(of: "pattern", depth: depth) : list(depth) { $0.value(of: "pattern", depth: 0) }
        case "persist": return random.pick(["true", "false", "1", "null"])
        case "access":
            return list(depth) {
                $0.object(
                    depth: depth,
                    [
                        $0.random.pick(["allow", "deny"]), "channels",
                        $0.random.pick(["uid", "user", "group", "unit", "gid"]),
                    ])
            }
        case "quotas":
            return list(depth) {
                $0.object(depth: depth, [$0.random.pick(["uid", "user", "group", "unit"]), "limits of a quota"])
            }
        case "limits of a quota":
            return object(depth: depth, Configuration.quotaKeys.map(\.name) + (random.once(in: 9) ? ["clientz"] : []))
        case "allow", "deny":
            return random.once(in: 2)
                ? string(["post", "listen", "all", "write"])
                : list(depth) { $0.string(["post", "listen", "observe", "block", "admin"]) }
        case "user", "group", "unit":
            return string(["alice", "staff", "ill", "nobody-knows", "shop.service", "a\\\"b", ""])
        default: return scalar()
        }
    }

    private mutating func list(_ depth: Int, _ element: (inout Self) -> String) -> String {
        let elements = (0..<Int.random(in: 0...3, using: &random)).map { _ in element(&self) }
        return "[\(elements.joined(separator: ","))]"
    }

    private mutating func string(_ choices: [String]) -> String {
        random.once(in: 25) ? scalar() : "\"\(random.pick(choices))\""
    }

    private mutating func scalar() -> String {
        random.pick([
            "0", "1", "64", "65536", "1048576", "-1", "0.5", "1e400", "1e3", "9223372036854775807",
            "18446744073709551616",
            "-9223372036854775809", "0xFFFFFFFFFFFFFFFFFFFF", "1e+", ".5E-", "0x1e+", "0x0x", "010", "NaN", "Infinity",
            "+7", "0x10", "null", "true", "\"\"", "[]", "{}", "\"\\ud83d\"",
            String(repeating: "[", count: 600) + String(repeating: "]", count: 600),
        ])
    }
}
