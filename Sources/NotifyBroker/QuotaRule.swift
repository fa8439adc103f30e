// Other limits for some: the first rule that is about somebody counts for them. One that names a unit gives it an account
// of its own, whoever runs it.

package struct QuotaRule: Sendable, Equatable {
    package typealias Change = (path: any WritableKeyPath<Limits, Int> & Sendable, value: Int)

    package let who: Selector
    private let changes: [Change]
    /// As it would stand in a file.
    package let text: String

    package init(_ who: Selector, _ changes: [Change], text: String) {
        (self.who, self.changes, self.text) = (who, changes, text)
    }

    func limits(insteadOf limits: Limits) -> Limits {
        var limits = limits
        for change in changes { limits[keyPath: change.path] = change.value }
        return limits
    }

    package static func == (one: QuotaRule, other: QuotaRule) -> Bool {
        one.who == other.who && one.text == other.text
    }
}

extension [QuotaRule] {
    /// Somebody whose unit nobody knows is of none.
    func first(for identity: Identity) -> QuotaRule? { first { $0.who.matches(identity) == .yes } }
}
