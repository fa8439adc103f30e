// `explain`: which access rule decides. The groups of a user are looked up here, not by the daemon.

import FoundationEssentials
import Notify

/// Tells which access rule decides.
struct Explain: Command {
    static let name = "explain"
    static let operands = "RIGHT CHANNEL"
    static let summary = "Tells whether a right is granted on a channel, and by which rule; status 77 if denied."
    static let notes = """
        RIGHT is post, listen, observe, block or admin. Without options it is about whoever asks. About others
        may ask who has the right observe: --uid takes a user with all of their groups, --group adds one, and
        --unit names the unit of systemd that their process would be in. CHANNEL can be $notifyd.trace.PATTERN:
        whether posts on these channels may be traced.
        """
    static let options: [Option] = [.asUID, .asGroup, .asUnit, .json]

    static let rights: [NotifyCenter.AccessRight] = [.post, .listen, .observe, .block, .admin]

    static func meaning(ofOperand index: Int) -> Meaning {
        switch index {
        case 0: .words(rights.map(\.rawValue))
        case 1: .channel
        default: .text
        }
    }

    var right: NotifyCenter.AccessRight
    var place: Place
    var subject: NotifyCenter.AccessSubject?
    var isJSON: Bool

    init(_ arguments: Arguments) throws(Failure) {
        let operands = try arguments.operands(2...2, "RIGHT and CHANNEL")
        let name = try operands[0].text("right")
        guard let right = Self.rights.first(where: { $0.rawValue == name }) else {
            throw .usage("right \(Meaning.refusal(of: name, among: Self.rights.map(\.rawValue)))")
        }
        self.right = right
        place = try Self.place(operands[1], of: right)
        isJSON = arguments.has(.json)
        subject = try Self.subject(arguments)
    }

    /// Where something may be done, or not.
    enum Place: Equatable {
        case channel(NotifyCenter.Channel)
        /// Posts on these channels are traced.
        case trace(NotifyCenter.Pattern)
    }

    private static func place(_ word: Word, of right: NotifyCenter.AccessRight) throws(Failure) -> Place {
        let prefix = "$notifyd.trace."
        let text = try word.text("channel")
        guard text.hasPrefix(prefix), right == .listen || right == .observe else {
            return .channel(try Names.channel(word))
        }
        do {
            return .trace(try NotifyCenter.Pattern(validating: text.dropFirst(prefix.count)))
        } catch {
            throw .usage(Printable.text(error.message))
        }
    }

    /// nil: whoever asks.
    private static func subject(_ arguments: Arguments) throws(Failure) -> NotifyCenter.AccessSubject? {
        guard arguments.has(.asUID) || arguments.has(.asGroup) || arguments.has(.asUnit) else { return nil }
        var subject = Accounts.own
        if let uid = try arguments.user(.asUID) {
            // Oneself is who one is, whatever the system's tables say by now.
            if uid != subject.uid { subject = NotifyCenter.AccessSubject(uid: uid, groups: Accounts.groups(of: uid)) }
        }
        if let text = try arguments.text(.asGroup) {
            guard let gid = Accounts.gid(text) else {
                throw .usage("--group: there is no group '\(Printable.text(text))'")
            }
            subject.groups.append(gid)
        }
        subject.unit = try arguments.text(.asUnit).map(Self.unit)
        if !arguments.has(.asGroup), !arguments.has(.asUnit), subject.uid == Accounts.own.uid { return nil }
        return subject
    }

    /// A unit's name as systemctl reads it: without a suffix it is that of a service.
    private static func unit(_ name: String) -> String {
        let suffixes = [".service", ".scope", ".slice", ".socket", ".mount", ".swap"]
        return suffixes.contains { name.hasSuffix($0) } ? name : name + ".service"
    }

    func run(_ session: Session) async throws(Failure) -> ExitCode {
        let center = try await session.connect()
        let answer: NotifyCenter.AccessExplanation
        do {
            switch place {
            case .channel(let channel): answer = try await center.explain(right, on: channel, for: subject)
            case .trace(let pattern): answer = try await center.explain(tracing: pattern, for: subject)
            }
        } catch {
            throw Failure(error)
        }
        var output = session.makeOutput()
        output.add(exact: (isJSON ? try Self.json(answer) : Self.text(answer)) + "\n")
        try output.flush()
        await session.close(center)
        return answer.allowed ? .done : .denied
    }

    private static func json(_ answer: NotifyCenter.AccessExplanation) throws(Failure) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(answer), as: UTF8.self)
        } catch {
            throw Failure(.software, "the answer cannot be written as JSON: \(error)")
        }
    }

    static func text(_ answer: NotifyCenter.AccessExplanation) -> String {
        let verdict = answer.allowed ? "allowed" : "denied"
        guard let rule = answer.rule else { return "\(verdict): no rule is about it" }
        return "\(verdict): \(Printable.text(rule))" + (answer.origin.map { " (\(Printable.text($0)))" } ?? "")
    }
}

extension Option {
    static let asUID = Option("uid", .required("UID"), .user, help: "about this user, a number or a name")
    static let asGroup = Option(
        "group", .required("GROUP"), .group, help: "as a member of this group, too, a number or a name")
    static let asUnit = Option("unit", .required("UNIT"), help: "as a process of this unit; shop is shop.service")
}
