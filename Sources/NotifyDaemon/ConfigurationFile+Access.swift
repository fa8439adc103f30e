// The access rules of one file: an array of objects, each about one kind of people and some channels.

import FoundationEssentials
import Glibc
import NotifyBroker
import NotifyWire

extension ConfigurationFile {
    mutating func readAccess(
        _ container: KeyedDecodingContainer<AnyKey>, _ key: AnyKey, _ source: ConfigurationSource
    ) throws {
        var list = try container.nestedUnkeyedContainer(forKey: key)
        var rules: [AccessRule] = []
        while !list.isAtEnd {
            let origin = "\(source.file), rule \(rules.count + 1)"
            rules.append(try AccessEntry(list.nestedContainer(keyedBy: AnyKey.self), source.names).rule(origin))
            guard rules.count <= Configuration.accessRuleLimit else {
                throw Self.wrong(key, in: container, "more than \(Configuration.accessRuleLimit) rules")
            }
        }
        settings.append { $0.accessRules = rules + $0.accessRules }
    }
}

/// One rule as it is read.
private struct AccessEntry {
    private var effect = AccessRule.Effect.deny
    private var rights: RightSet = []
    private var channels: [String]?
    private var who = Selector()
    /// `user: "alice"`, and so on.
    private var about: [String] = []

    private static let names = ["allow", "deny", "channels"] + WhoReader.names

    init(_ container: KeyedDecodingContainer<AnyKey>, _ names: NameService) throws {
        _ = try ConfigurationFile.keys(of: container, known: Self.names)
        let (allow, deny) = (AnyKey("allow"), AnyKey("deny"))
        switch (container.contains(allow), container.contains(deny)) {
        case (true, true):
            throw ConfigurationFile.wrong(deny, in: container, "found 'allow' and 'deny', expected one of them")
        case (false, false):
            throw ConfigurationFile.wrong(
                allow, in: container, "found neither 'allow' nor 'deny', expected one of them")
        case (let isAllowed, _):
            effect = isAllowed ? .allow : .deny
            rights = try Self.readRights(container, isAllowed ? allow : deny)
        }
        let key = AnyKey("channels")
        if container.contains(key) { channels = try Self.readChannels(container, key) }
        (who, about) = try WhoReader(names: names).read(container)
    }

    func rule(_ origin: String) -> AccessRule {
        let list = rights == .all ? "\"all\"" : Self.list(rights.rights.map { "\($0.name)" })
        var members = ["\(effect == .allow ? "allow" : "deny"): \(list)"]
        if let channels { members.append("channels: \(Self.list(channels))") }
        let text = "{ \((members + about).joined(separator: ", ")) }"
        return AccessRule(
            effect, rights, on: channels.map { .patterns($0) } ?? .all, to: who, text: text, origin: origin)
    }

    private static func list(_ words: [String]) -> String {
        words.count == 1 ? words[0].quoted : "[\(words.map(\.quoted).joined(separator: ", "))]"
    }

    private static func readRights(
        _ container: KeyedDecodingContainer<AnyKey>, _ key: AnyKey
    ) throws -> RightSet {
        var rights: RightSet = []
        for word in try words(container, key) {
            if word == "all" {
                rights = .all
            } else if let right = Right(word) {
                rights.insert(RightSet(right))
            } else {
                let known = Right.allCases.map { "\"\($0.name)\"" }.joined(separator: ", ")
                throw ConfigurationFile.wrong(key, in: container, "found \(word.cited), expected \(known) or \"all\"")
            }
        }
        return rights
    }

    private static func readChannels(
        _ container: KeyedDecodingContainer<AnyKey>, _ key: AnyKey
    ) throws -> [String] {
        let patterns = try words(container, key)
        for pattern in patterns {
            if let fault = ConfigurationFile.fault(inPattern: pattern) {
                throw ConfigurationFile.wrong(
                    key, in: container, "found \(pattern.cited): \(fault.reason) at byte \(fault.offset)")
            }
        }
        return patterns
    }

    /// A string, or several in an array.
    private static func words(_ container: KeyedDecodingContainer<AnyKey>, _ key: AnyKey) throws -> [String] {
        if let word = try? container.decode(String.self, forKey: key) { return [word] }
        guard let words = try? container.decode([String].self, forKey: key), !words.isEmpty else {
            throw ConfigurationFile.wrong(key, in: container, "expected a string, or an array of strings")
        }
        return words
    }
}
