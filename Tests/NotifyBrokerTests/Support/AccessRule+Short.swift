// Rules as tests write them.

@testable import NotifyBroker
import NotifyWire

extension AccessRule {
    static func allow(_ rights: Right..., on channels: String? = nil, to who: Selector = Selector()) -> AccessRule {
        short(.allow, rights, channels, who)
    }

    static func deny(_ rights: Right..., on channels: String? = nil, to who: Selector = Selector()) -> AccessRule {
        short(.deny, rights, channels, who)
    }

    private static func short(
        _ effect: Effect, _ rights: [Right], _ channels: String?, _ who: Selector
    ) -> AccessRule {
        let rights = rights.isEmpty ? RightSet.all : RightSet(rights)
        let scope = channels.map { Scope.patterns($0.split(separator: " ").map(String.init)) } ?? .all
        let names = rights.rights.map { "\($0.name)" }.joined(separator: " ")
        return AccessRule(
            effect, rights, on: scope, to: who, text: "\(effect) \(names) on \(channels ?? "everything")",
            origin: "test")
    }
}
