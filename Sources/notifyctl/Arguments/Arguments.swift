// What was found on a command line: operands in their order, and the values of each option.

/// A parsed command line.
struct Arguments: Sendable {
    var operands: [Word]
    /// A `--` has ended the options.
    var optionsHaveEnded = false
    private var values: [String: [Word]] = [:]
    private var rests: [String: [Word]] = [:]

    init(operands: [Word] = []) { self.operands = operands }

    mutating func add(_ option: Option, value: Word) { values[option.long, default: []].append(value) }

    mutating func add(_ option: Option, rest: [Word]) { rests[option.long] = rest }

    /// The options of another part of the same command line, before these.
    mutating func prepend(_ other: Arguments) {
        values.merge(other.values) { mine, theirs in theirs + mine }
    }

    func has(_ option: Option) -> Bool { values[option.long] != nil || rests[option.long] != nil }

    /// The option's argument; of several the last, as everywhere.
    func word(_ option: Option) -> Word? { values[option.long]?.last }

    func text(_ option: Option) throws(Failure) -> String? {
        guard let word = word(option) else { return nil }
        return try word.text("--\(option.long)")
    }

    /// All words after an option that takes the rest of the line.
    func rest(_ option: Option) -> [Word]? { rests[option.long] }

    /// The option's argument, which is one of the words that it takes.
    func choice(_ option: Option) throws(Failure) -> String? {
        guard let text = try text(option) else { return nil }
        guard case .words(let known) = option.meaning, !known.contains(text) else { return text }
        throw .usage("--\(option.long): \(Meaning.refusal(of: text, among: known))")
    }

    /// A whole number within `range`.
    func number(_ option: Option, in range: ClosedRange<Int>) throws(Failure) -> Int? {
        guard let text = try text(option) else { return nil }
        guard let number = Int(text), text.utf8.first != UInt8(ascii: "+"), range.contains(number) else {
            let most = range.upperBound == .max ? "" : " to \(range.upperBound)"
            throw .usage(
                "--\(option.long): '\(Printable.text(text))' is not a whole number from \(range.lowerBound)\(most)")
        }
        return number
    }

    /// A user, by number or name.
    func user(_ option: Option) throws(Failure) -> UInt32? {
        guard let text = try text(option) else { return nil }
        guard let uid = Accounts.uid(text) else {
            throw .usage("--\(option.long): there is no user '\(Printable.text(text))'")
        }
        return uid
    }

    /// A length of time of more than nothing.
    func duration(_ option: Option) throws(Failure) -> Duration? {
        guard let text = try text(option) else { return nil }
        guard let duration = Duration(argument: text) else {
            throw .usage(
                "--\(option.long): '\(Printable.text(text))' is not a duration: write 500ms, 2s, 1.5h or seconds")
        }
        guard duration > .zero else { throw .usage("--\(option.long): must be longer than nothing") }
        return duration
    }

    /// Refuses the line if more than one of the options is on it.
    func exclude(_ options: [Option]) throws(Failure) {
        let given = options.filter(has)
        guard given.count > 1 else { return }
        throw .usage("--\(given[0].long) and --\(given[1].long) exclude each other")
    }

    /// The operands, if there are as many as the command takes.
    ///
    /// - Parameter names: those that have to be there, joined by "and".
    func operands(_ range: ClosedRange<Int>, _ names: String) throws(Failure) -> [Word] {
        if operands.count < range.lowerBound {
            let missing = names.split(separator: " and ").dropFirst(operands.count)
            throw .usage("\(missing.joined(separator: " and ")) \(missing.count == 1 ? "is" : "are") missing")
        }
        if operands.count > range.upperBound {
            throw .usage("'\(operands[range.upperBound].shown)' is one word too many")
        }
        return operands
    }
}
