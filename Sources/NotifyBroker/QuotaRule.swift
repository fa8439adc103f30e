// Other limits for some: the first rule that is about somebody counts for them. One that names a unit gives it an account
// of its own, whoever runs it.

package struct QuotaRule: Sendable, Equatable {
    /// `name`: the key of a quota, which is that of `limits` without the ending `_per_uid`.
    package typealias Change = (name: String, path: any WritableKeyPath<Limits, Int> & Sendable, value: Int)

    package let who: Selector
    private let changes: [Change]
    /// As it would stand in a file.
    package let text: String
    /// Where it stands: a file and the quota's number in it.
    package let origin: String

    package init(_ who: Selector, _ changes: [Change], text: String, origin: String) {
        (self.who, self.changes, self.text, self.origin) = (who, changes, text, origin)
    }

    func says(_ name: String) -> Bool { changes.contains { $0.name == name } }

    func limits(insteadOf limits: Limits) -> Limits {
        var limits = limits
        for change in changes { limits[keyPath: change.path] = change.value }
        return limits
    }

    /// It says the same, wherever it stands.
    package static func == (one: QuotaRule, other: QuotaRule) -> Bool {
        one.who == other.who && one.text == other.text
    }
}

extension [QuotaRule] {
    /// Somebody whose unit nobody knows is of none.
    func first(for identity: Identity) -> QuotaRule? { first { $0.who.matches(identity) == .yes } }
}
