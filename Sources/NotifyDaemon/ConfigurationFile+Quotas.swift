// The quotas of one file: an array of objects, each about one kind of people and what they may have instead of the limits.

import FoundationEssentials
import NotifyBroker

extension ConfigurationFile {
    mutating func readQuotas(
        _ container: KeyedDecodingContainer<AnyKey>, _ key: AnyKey, _ source: ConfigurationSource
    ) throws {
        var list = try container.nestedUnkeyedContainer(forKey: key)
        var rules: [QuotaRule] = []
        while !list.isAtEnd {
            guard rules.count < Configuration.quotaLimit else {
                throw Self.wrong(key, in: container, "more than \(Configuration.quotaLimit) quotas")
            }
            let origin = "\(source.file), quota \(rules.count + 1)"
            rules.append(try Self.readQuota(list.nestedContainer(keyedBy: AnyKey.self), source.names, origin))
        }
        // Like access rules: those of a later file come before those of earlier ones.
        settings.append { $0.quotas = rules + $0.quotas }
    }

    private static func readQuota(
        _ container: KeyedDecodingContainer<AnyKey>, _ names: NameService, _ origin: String
    ) throws -> QuotaRule {
        _ = try keys(of: container, known: WhoReader.names + ["limits"])
        let (who, about) = try WhoReader(names: names).read(container)
        let key = AnyKey("limits")
        guard who != Selector() else {
            throw wrong(
                key, in: container, "about nobody: expected \(WhoReader.names.joined(separator: ", ")), or several")
        }
        let limits = try container.nestedContainer(keyedBy: AnyKey.self, forKey: key)
        var changes: [QuotaRule.Change] = []
        var texts: [String] = []
        for (limit, key) in try Self.limits(of: limits, among: Configuration.quotaKeys) {
            let value = try integer(limits, key, in: limit.range)
            changes.append((limit.name, limit.path, value))
            texts.append("\(limit.name): \(value)")
        }
        let text = "{ \((about + ["limits: { \(texts.joined(separator: ", ")) }"]).joined(separator: ", ")) }"
        return QuotaRule(who, changes, text: text, origin: origin)
    }
}

extension Configuration {
    /// What a quota can say: the limits of one uid, without that ending, and those of one connection.
    static let quotaKeys: [LimitKey] = limitKeys.compactMap { key in
        if key.name.hasSuffix("_per_uid") { return (String(key.name.dropLast(8)), key.path, key.range) }
        let ofConnection =
            key.name.hasSuffix("_per_client") || key.name == "client_queue_bytes" || key.name == "burst_s"
        return ofConnection ? key : nil
    }

    static func describe(_ quotas: [QuotaRule]) -> String {
        quotas.isEmpty ? "[]" : "[\n\(quotas.map { "        \($0.text),\n" }.joined())    ]"
    }
}
