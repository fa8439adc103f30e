// The rules for channels: an array of objects, the first one whose pattern matches a channel counts for it. Those of a file
// that is read later stand before those that there are.

import FoundationEssentials
import NotifyBroker
import NotifyWire

extension ConfigurationFile {
    mutating func readChannels(_ container: KeyedDecodingContainer<AnyKey>, _ key: AnyKey) throws {
        var list = try container.nestedUnkeyedContainer(forKey: key)
        var rules: [ChannelRule] = []
        while !list.isAtEnd {
            guard rules.count < Configuration.channelRuleLimit else {
                throw Self.wrong(key, in: container, "more than \(Configuration.channelRuleLimit) rules")
            }
            rules.append(try Self.readRule(list.nestedContainer(keyedBy: AnyKey.self)))
        }
        settings.append { $0.channelRules = rules + $0.channelRules }
    }

    private static func readRule(_ container: KeyedDecodingContainer<AnyKey>) throws -> ChannelRule {
        _ = try keys(of: container, known: ["pattern", "history", "persist"])
        let key = AnyKey("pattern")
        let pattern = try container.decode(String.self, forKey: key)
        if let fault = fault(inPattern: pattern) {
            throw wrong(key, in: container, "found \(pattern.cited): \(fault.reason) at byte \(fault.offset)")
        }
        var rule = ChannelRule(pattern: pattern)
        let history = AnyKey("history")
        if container.contains(history) {
            rule.history = try readHistory(container.nestedContainer(keyedBy: AnyKey.self, forKey: history))
        }
        let persist = AnyKey("persist")
        if container.contains(persist) { rule.persist = try container.decode(Bool.self, forKey: persist) }
        return rule
    }

    static func fault(inPattern pattern: String) -> NameFault? {
        var pattern = pattern
        return pattern.withUTF8 { bytes in
            bytes.baseAddress.map { PatternName.fault(in: ByteSlice($0, bytes.count)) }
                ?? NameFault("empty name", at: 0)
        }
    }

    private static func readHistory(_ container: KeyedDecodingContainer<AnyKey>) throws -> HistoryBound {
        var bound = HistoryBound()
        for key in try keys(of: container, known: ["messages", "bytes", "age_s"]) {
            switch key.stringValue {
            case "messages": bound.messages = try integer(container, key, in: 0...1_000_000)
            case "bytes": bound.bytes = try integer(container, key, in: 1...(1 << 30))
            default: bound.age = UInt64(try integer(container, key, in: 1...3_155_760_000)) * 1_000_000_000
            }
        }
        return bound
    }
}
