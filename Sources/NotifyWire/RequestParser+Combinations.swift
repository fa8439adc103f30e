// Terms of a post that exclude each other.

extension RequestParser {
    var refusalOfCombination: Refusal? {
        let present = request.present
        guard !present.isDisjoint(with: .terms) else { return nil }
        if present.contains(.delay), present.contains(.at) { return Self.exclusion(.delay, .at) }
        let later = present.intersection([.delay, .at, .coalesce])
        guard let field = later.first else { return nil }
        if field != .coalesce, present.contains(.coalesce) { return Self.exclusion(field, .coalesce) }
        // Conditions are for posts that are made now: of one that is made later nobody hears that it was not.
        if present.contains(.ifSequence) { return Self.exclusion(field, .ifSequence) }
        return request.terms.requireSubscribers ? Self.exclusion(field, .requireSubscribers) : nil
    }

    /// A batch is made in one piece, at once.
    var refusalInBatch: Refusal? {
        request.present.intersection([.delay, .at, .coalesce]).first.map {
            Refusal(.invalidRequest, "field '\($0.name)': the posts of a batch are made at once")
        }
    }

    private static func exclusion(_ one: Field, _ other: Field) -> Refusal {
        Refusal(.invalidRequest, "fields '\(one.name)' and '\(other.name)' exclude each other")
    }
}
