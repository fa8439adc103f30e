// What clients do that is worth a line: it says who it was, as exactly as one can know, and comes once in a while however
// often they do it.

import NotifyBroker
import NotifyWire

extension Log {
    /// What is known of a client besides its numbers; asked for only when it is told.
    typealias About = (UInt64) -> (name: String, unit: String?)?

    /// A subscription begins to lose messages; told once in ten seconds for each client.
    func slow(_ slow: SlowSubscription, _ about: About) {
        guard isNew("slow \(slow.client)") else { return }
        let who = culprit(slow.client, slow.pid, slow.uid, about)
        let text =
            "\(who.text) reads too slowly: its subscription \(slow.sub) to \(slow.pattern) loses messages with "
            + "\(slow.waitingMessages) (\(slow.waitingBytes) bytes) waiting"
        write(
            .warning, { text },
            fields: who.fields + [("NOTIFYD_SUB", "\(slow.sub)"), ("NOTIFYD_CHANNEL", slow.pattern)])
    }

    /// Somebody may not do what they wanted; told once in ten seconds for each client and right.
    func denied(_ denial: Denial, _ about: About) {
        guard isNew("denied \(denial.client) \(denial.right.name)") else { return }
        var who = culprit(denial.client, denial.pid, denial.identity.uid, about)
        who.unit = denial.identity.unit
        let rule = denial.rule.map { "\($0.text) (\($0.origin))" } ?? "no rule allows it"
        let text = "denied: \(who.text) has no right '\(denial.right.name)' on \(denial.channel): \(rule)"
        write(
            .warning, { text },
            fields: who.fields + [
                ("NOTIFYD_RIGHT", "\(denial.right.name)"), ("NOTIFYD_CHANNEL", denial.channel),
                ("NOTIFYD_RULE", rule),
            ])
    }

    /// Subscriptions have ended with other access rules; told once in ten seconds for each client and right, the others as
    /// a number.
    func revoked(_ revocations: Revocations, _ about: About) {
        let told = revocations.told.filter { isNew("revoked \($0.client) \($0.right.name)") }
        for one in told {
            var who = culprit(one.client, one.pid, one.identity.uid, about)
            who.unit = one.identity.unit
            let rule = one.rule.map { "\($0.text) (\($0.origin))" } ?? "no rule allows it"
            let text =
                "\(who.text) loses its subscription \(one.sub) to \(one.pattern): it has no right '\(one.right.name)' "
                + "any more: \(rule)"
            write(
                .warning, { text },
                fields: who.fields + [
                    ("NOTIFYD_SUB", "\(one.sub)"), ("NOTIFYD_RIGHT", "\(one.right.name)"),
                    ("NOTIFYD_CHANNEL", one.pattern), ("NOTIFYD_RULE", rule),
                ])
        }
        let rest = revocations.count - told.count
        if rest > 0 { warning("\(rest) more subscriptions have ended with the change of the access rules") }
    }

    /// Somebody wanted more than they may have; told once in ten seconds for each limit.
    func excess(_ excess: Excess, _ about: About) {
        guard isNew("excess \(excess.uid) \(excess.reason)") else { return }
        let who = culprit(excess.client, excess.pid, excess.uid, about)
        write(.warning, { "\(who.text) is refused: \(excess.reason)" }, fields: who.fields)
    }

    /// A connection is turned away; told once in ten seconds for each limit, whichever process it was: they may be many.
    func refused(_ pid: Int32, _ who: Identity, _ refusal: Refusal) {
        guard isNew("refused \(who.uid) \(refusal.message)") else { return }
        let who = Culprit(pid: pid, uid: who.uid, unit: who.unit)
        write(.warning, { "connection of \(who.text) refused: \(refusal.message)" }, fields: who.fields)
    }

    private func culprit(_ client: UInt64, _ pid: Int32, _ uid: UInt32, _ about: About) -> Culprit {
        let known = about(client)
        return Culprit(client: client, pid: pid, uid: uid, unit: known?.unit, name: known?.name ?? "")
    }
}
