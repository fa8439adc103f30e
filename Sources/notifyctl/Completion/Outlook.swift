// What can stand at the cursor. The parser that will read the finished line reads the beginning of it here, with a probe
// in the place of the word that is being typed: where the probe turns up is what the word will be.

/// What a word is going to be.
struct Outlook {
    /// What can stand here.
    enum Place: Equatable {
        case command
        /// One of these options.
        case option([Option])
        case word(Meaning)
    }

    var place: Place
    /// What of the word is not the value that is being typed: `--output=`.
    var front = ""
    /// Where the daemon is that the line is about; nil: the line cannot be right.
    var options: GlobalOptions?
    /// The line posts: what nobody may post to is not offered.
    var isPost = false

    private static let probe = Word(bytes: [1])

    /// - Parameters:
    ///   - before: the words between the program and the one that is being typed.
    ///   - current: the word up to the cursor.
    /// - Returns: nil if there is a mistake in the line already.
    init?(before: [Word], current: String) {
        let front = OptionParser(options: GlobalOptions.table, stopsAtOperand: true)
        guard let (globals, read) = try? front.parse(before + [Self.probe]) else { return nil }
        options = try? GlobalOptions(globals)
        if let option = Self.awaiting(globals, GlobalOptions.table) {
            place = .word(option.meaning)
            return
        }
        guard read < before.count else {
            place = .command
            look(GlobalOptions.table, globals, current)
            return
        }
        guard let command = Commands.all.first(where: { $0.name == before[read].shown }) else { return nil }
        let table = command.options + GlobalOptions.table
        let parser = OptionParser(options: table, numbersAreOperands: command.numbersAreOperands)
        guard var (arguments, _) = try? parser.parse(Array(before[(read + 1)...]) + [Self.probe]) else { return nil }
        isPost = command == Post.self
        if let option = Self.awaiting(arguments, table) {
            place = .word(option.meaning)
        } else if let option = table.first(where: { arguments.rest($0) != nil }) {
            // Of a program's own words we only know that they may be files.
            place = .word(arguments.rest(option)?.count == 1 ? option.meaning : .file)
        } else {
            place = .word(command.meaning(ofOperand: arguments.operands.count - 1))
            look(table, arguments, current)
        }
        arguments.prepend(globals)
        options = try? GlobalOptions(arguments)
    }

    /// The option that the probe is the argument of.
    private static func awaiting(_ arguments: Arguments, _ table: [Option]) -> Option? {
        table.first { arguments.word($0) == probe }
    }

    /// Where an operand can stand, an option can.
    private mutating func look(_ table: [Option], _ arguments: Arguments, _ current: String) {
        guard current.hasPrefix("-"), !arguments.optionsHaveEnded else { return }
        guard let equals = current.firstIndex(of: "="), current.hasPrefix("--") else {
            place = .option(table.filter { !arguments.has($0) })
            return
        }
        let name = current.dropFirst(2).prefix { $0 != "=" }
        let meant = table.filter { $0.long == name } + table.filter { $0.long != name && $0.long.hasPrefix(name) }
        let isMeant = meant.count == 1 || meant.first.map { $0.long == name } ?? false
        place = .word(isMeant ? meant[0].valueMeaning : .text)
        front = String(current[...equals])
    }
}

extension Option {
    /// What can stand after `--name=`.
    fileprivate var valueMeaning: Meaning {
        switch argument {
        case .required, .optional: meaning
        case .none, .rest: .text
        }
    }
}
