// `post`: one message from the command line or standard input, or one per line of it (Post+Lines.swift).

import Notify

/// Posts messages.
struct Post: Command {
    static let name = "post"
    static let operands = "CHANNEL [PAYLOAD]"
    static let summary = "Posts a message; says nothing if all is well."
    static let notes = """
        PAYLOAD is JSON; or words KEY=string and KEY:=json, which make an object; or - for JSON from standard input;
        without one it is null. For a string use --text. A word that is a number, such as -5, is no option.
        --lines stops at the first line that is wrong or refused, and says how many posts were accepted. Blank lines
        are skipped, but are empty strings with --lines=text. Where the daemon bounds how fast one may post, a line that
        comes too fast waits and is repeated, and those behind it wait, too; with --no-wait it ends there, with 75.
        A daemon that goes meanwhile is waited for as long as --connect-timeout says. What it has not answered goes to the
        next one if it is known not to have been posted; else --lines stops there, with 69.
        --delay, --at and --coalesce exclude each other, and exclude --if-seq and --require-subscribers.
        """
    static let options: [Option] =
        [.text, .lines, .noWait, .type, .subject, .retain] + PostTerms.table + [.receiptJSON]
    static let numbersAreOperands = true

    /// Where payloads come from.
    enum Source: Sendable, Equatable {
        case payload([UInt8])
        case standardInput
        /// Each line of standard input.
        case lines(asText: Bool)
    }

    /// What is refused because it came too fast is the end.
    var endsAtRateLimit: Bool

    static func meaning(ofOperand index: Int) -> Meaning { index == 0 ? .channel : .text }

    var channel: NotifyCenter.Channel
    var type: String?
    var subject: NotifyCenter.Subject?
    var options: NotifyCenter.PostOptions
    var source: Source
    var isJSON: Bool

    init(_ arguments: Arguments) throws(Failure) {
        let operands = try arguments.operands(1...Int.max, "CHANNEL")
        channel = try Names.channel(operands[0])
        type = try Names.type(arguments)
        subject = try Names.subject(arguments)
        options = try PostTerms.options(arguments)
        isJSON = arguments.has(.receiptJSON)
        endsAtRateLimit = arguments.has(.noWait)
        if endsAtRateLimit, !arguments.has(.lines) { throw .usage("--no-wait is for --lines") }
        source = try Self.source(arguments, Array(operands.dropFirst()))
    }

    private static func source(_ arguments: Arguments, _ words: [Word]) throws(Failure) -> Source {
        try arguments.exclude([.text, .lines])
        for option in [Option.text, .lines] where arguments.has(option) {
            if let word = words.first { throw .usage("'\(word.shown)' is one word too many beside --\(option.long)") }
        }
        let builder = PayloadWords(fault: JSONFault.check)
        if let text = arguments.word(.text) { return .payload(try builder.string(text.bytes)) }
        if arguments.word(.lines)?.bytes.isEmpty == true { return .lines(asText: false) }
        if let kind = try arguments.choice(.lines) { return .lines(asText: kind == "text") }
        if words.first == "-" {
            if words.count > 1 { throw .usage("'\(words[1].shown)' is one word too many: the payload is '-'") }
            return .standardInput
        }
        return .payload(try builder.payload(words))
    }

    func run(_ session: Session) async throws(Failure) -> ExitCode {
        let center: NotifyCenter
        switch source {
        case .payload(let payload):
            center = try await session.connect()
            try await post(payload, center, session)
        case .standardInput:
            center = try await session.open(reconnects: true)
            try await post(try await document(center), center, session)
        case .lines(let asText):
            // Input may go on for days: a daemon that is restarted meanwhile is waited for.
            center = try await session.open(reconnects: true)
            try await postLines(asText: asText, center, session)
        }
        await session.close(center)
        return .done
    }

    private func post(_ payload: [UInt8], _ center: NotifyCenter, _ session: Session) async throws(Failure) {
        let receipt: NotifyCenter.PostReceipt
        do {
            receipt = try await center.post(
                payload: payload, to: channel, type: type, subject: subject, options: options)
        } catch {
            throw Failure(error)
        }
        guard isJSON || session.options.isVerbose else { return }
        var output = session.makeOutput()
        output.add(line: text(of: receipt))
        try output.flush()
    }

    /// All of standard input, if it is JSON.
    private func document(_ center: NotifyCenter) async throws(Failure) -> [UInt8] {
        let limit = Self.limit(center)
        let input = StandardInput()
        var document: [UInt8] = []
        while let chunk = try await input.next() {
            document += chunk
            if document.count > limit { throw Failure(.data, "standard input: longer than \(limit) bytes") }
        }
        if document.allSatisfy(JSONText.isSpace) { throw Failure(.data, "standard input: empty, JSON is expected") }
        if let fault = JSONFault.check(document) {
            throw Failure(.data, "standard input: not JSON at byte \(fault.offset): \(fault.reason)")
        }
        return JSONText.onOneLine(document)
    }

    /// No payload can be longer than a line; the rest of the line is the library's to count.
    static func limit(_ center: NotifyCenter) -> Int { center.server?.limits.lineBytes ?? 1 << 20 }

    func text(of receipt: NotifyCenter.PostReceipt) -> String {
        isJSON ? ReceiptText.json(receipt) : ReceiptText.plain(receipt)
    }
}

extension Option {
    static let text = Option("text", .required("STRING"), help: "the payload is this string")
    static let lines = Option(
        "lines", .optional("text"), .words(["json", "text"]), help: "post each line of standard input: JSON, or text")
    static let noWait = Option("no-wait", help: "with --lines: end at a rate limit instead of waiting")
    static let retain = Option("retain", help: "keep it as the channel's last value, for later listeners")
    static let receiptJSON = Option("json", help: "print the receipt as JSON")
}
