// The access rules as the daemon uses them, as people read them, and what a change to other ones means.

import Glibc
package import NotifyBroker

extension Configuration {
    /// The configured rules and the built-in ones, for a daemon of this user.
    package func access(uid: UInt32 = geteuid()) -> AccessRules {
        AccessRules(configured: accessRules, uid: uid, group: community)
    }

    /// Somebody's unit decides something.
    package var asksForUnits: Bool {
        accessRules.contains { $0.who.unit != nil } || quotas.contains { $0.who.unit != nil }
    }

    /// The rules in the format of the file, each with where it is from; the built-in ones as comments.
    var accessDescription: String {
        var lines = accessRules.map { rule in
            "        \(rule.text),  // \(Self.numbers(of: rule.who))\(rule.origin.printable)\n"
        }
        lines += AccessRules.builtIn(uid: geteuid(), group: community).map {
            "        // \(Self.shown($0)), built in\n"
        }
        lines.append("        // whatever none of them is about is denied\n")
        return "[\n\(lines.joined())    ]"
    }

    private static func shown(_ rule: AccessRule) -> String { rule.text + numbers(of: rule.who, separator: ": ") }

    /// What the names stand for.
    private static func numbers(of who: Selector, separator: String = "") -> String {
        let numbers = [who.uid.map { "uid \($0)" }, who.gid.map { "gid \($0)" }].compactMap { $0 }
        if numbers.isEmpty { return "" }
        let text = numbers.joined(separator: ", ")
        return separator.isEmpty ? text + ", " : separator + text
    }

    func accessChanges(to other: Configuration) -> [String] {
        let (old, new) = (access().rules, other.access().rules)
        if old == new { return [] }
        return Self.changes("access", old.map(Self.shown), new.map(Self.shown)) { " (\(new[$0].origin))" }
    }

    func quotaChanges(to other: Configuration) -> [String] {
        let shown = { (quota: QuotaRule) in quota.text + Self.numbers(of: quota.who, separator: ": ") }
        return Self.changes("quotas", quotas.map(shown), other.quotas.map(shown))
    }

    /// A line for each that has come or gone. None is about the places where they stand alone.
    private static func changes(
        _ key: String, _ old: [String], _ new: [String], origin: (Int) -> String = { _ in "" }
    ) -> [String] {
        let difference = new.difference(from: old)
        return difference.removals.map { "\(key): removed \(old[offset(of: $0)])" }
            + difference.insertions.map { "\(key): added \(new[offset(of: $0)])\(origin(offset(of: $0)))" }
    }

    private static func offset(of change: CollectionDifference<String>.Change) -> Int {
        switch change {
        case .insert(let offset, _, _), .remove(let offset, _, _): offset
        }
    }
}
