// Reads a command line through getopt_long(3), so that abbreviations, `--name=value`, `-n5` and `--` mean what they mean
// everywhere else. What getopt only counts as a mistake becomes a sentence here.

import CGetopt
import Glibc
import NotifyLock

/// Parses the words of one command by its table of options.
struct OptionParser: Sendable {
    var options: [Option]
    /// `-5` is an operand (or an argument), not an option.
    var numbersAreOperands = false
    /// Options end at the first operand: for what stands before the command's name.
    var stopsAtOperand = false

    /// getopt's state belongs to the process.
    private static let turn = Locked<Void>(())

    /// The arguments found, and how many words were read.
    func parse(_ words: [Word]) throws(Failure) -> (arguments: Arguments, read: Int) {
        try Self.turn.withLock { _ throws(Failure) in
            let line = CommandLineCopy(words, protecting: numbersAreOperands ? Self.isNumber : { _ in false })
            defer { line.free() }
            return try read(line)
        }
    }

    private func read(_ line: CommandLineCopy) throws(Failure) -> (arguments: Arguments, read: Int) {
        let table = options
        var names = table.map { strdup($0.long) }
        defer { for name in names { free(name) } }
        names.append(nil)
        let longs = zip(names, table).map { name, option in
            CGetopt.option(name: UnsafePointer(name), has_arg: option.kind, flag: nil, val: option.code(in: table))
        }
        // "-": operands come in order as code 1. ":": a missing argument is told apart from an unknown option.
        let shorts = (stopsAtOperand ? "+:" : "-:") + table.compactMap(\.shortSyntax).joined()

        var result = Arguments()
        var restart: Int32 = 1
        while true {
            let step = cgetopt_next(line.count, line.pointers, shorts, longs + [CGetopt.option()], restart)
            restart = 0
            let next = Int(step.next)
            switch step.code {
            case -1:
                // In this order of operands getopt leaves over only what follows a `--`.
                result.optionsHaveEnded = next > 1 && line.word(at: next - 1) == "--"
                if !stopsAtOperand { result.operands += line.words(from: next) }
                return (result, next - 1)
            case 1:
                result.operands.append(line.word(step.argument))
            case Int32(UInt8(ascii: "?")), Int32(UInt8(ascii: ":")):
                throw mistake(step, word: line.word(at: next - 1).shown, table: table)
            default:
                guard let option = table.first(where: { $0.code(in: table) == step.code || $0.shortCode == step.code })
                else { throw Failure(.software, "getopt_long answered \(step.code)") }
                if case .rest(let name) = option.argument {
                    let rest = line.words(from: next)
                    if rest.isEmpty { throw .usage("--\(option.long) wants \(name) after it") }
                    result.add(option, rest: rest)
                    return (result, Int(line.count) - 1)
                }
                result.add(option, value: line.word(step.argument))
            }
        }
    }

    /// The sentence for an option that getopt did not take.
    private func mistake(_ step: cgetopt_step, word: String, table: [Option]) -> Failure {
        let culprit = table.first { $0.code(in: table) == step.culprit || $0.shortCode == step.culprit }
        if step.code == Int32(UInt8(ascii: ":")), let culprit { return .usage("--\(culprit.long) wants an argument") }
        if (1...255).contains(step.culprit) {
            let letter = Printable.text([UInt8(step.culprit)])
            if letter == "V" { return .usage("unknown option '-V'; did you mean '--version' or '-v'?") }
            return .usage("unknown option '-\(letter)'\(numberHint(letter))")
        }
        let name = String(word.dropFirst(2).prefix { $0 != "=" })
        if let culprit { return .usage("--\(culprit.long) takes no argument") }
        let meant = table.filter { $0.long.hasPrefix(name) }.map { "--\($0.long)" }
        if meant.count > 1 { return .usage("'--\(name)' could be \(meant.joined(separator: ", "))") }
        guard let nearest = Suggestion.nearest(to: name, among: options.map(\.long)) else {
            return .usage("unknown option '--\(name)'")
        }
        return .usage("unknown option '--\(name)'; did you mean '--\(nearest)'?")
    }

    private func numberHint(_ letter: String) -> String {
        numbersAreOperands || letter.allSatisfy(\.isNumber) ? "; put -- before a word that begins with a dash" : ""
    }

    /// A negative number as JSON writes it.
    static func isNumber(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        func digits() -> Bool {
            let count = rest.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }.count
            rest = rest.dropFirst(count)
            return count > 0
        }
        guard rest.popFirst() == UInt8(ascii: "-"), digits() else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            guard digits() else { return false }
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest.removeFirst()
            if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest.removeFirst() }
            guard digits() else { return false }
        }
        return rest.isEmpty
    }
}

extension Option {
    fileprivate var kind: Int32 {
        switch argument {
        case .none, .rest: no_argument
        case .required: required_argument
        case .optional: optional_argument
        }
    }

    /// What getopt answers for the long name: beyond every byte.
    fileprivate func code(in table: [Option]) -> Int32 { 256 + Int32(table.firstIndex(of: self) ?? 0) }

    fileprivate var shortCode: Int32? { short?.asciiValue.map(Int32.init) }

    fileprivate var shortSyntax: String? {
        short.map { letter in
            switch argument {
            case .none, .rest: "\(letter)"
            case .required: "\(letter):"
            case .optional: "\(letter)::"
            }
        }
    }
}
