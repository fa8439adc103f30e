// How a command line is read: what getopt_long does, and the sentences for what it does not take.

import Testing

@testable import notifyctl

@Suite("The option parser")
struct OptionParserTests {
    private static let number = Option("number", short: "n", .required("N"), help: "")
    private static let maybe = Option("maybe", .optional("X"), help: "")
    private static let flag = Option("flag", short: "f", help: "")
    private static let numeral = Option("numeral", help: "")
    private static let exec = Option("exec", .rest("CMD…"), help: "")
    private static let table = [number, maybe, flag, numeral, exec]

    private func parse(_ words: String..., numbers: Bool = false) throws(Failure) -> Arguments {
        let parser = OptionParser(options: Self.table, numbersAreOperands: numbers)
        return try parser.parse(words.map { Word($0) }).arguments
    }

    @Test("takes options before, between and after operands")
    func order() throws {
        let arguments = try parse("-n", "5", "a", "--flag", "b", "--maybe=x", "c")
        #expect(arguments.operands == ["a", "b", "c"])
        #expect(arguments.word(Self.number) == "5")
        #expect(arguments.has(Self.flag))
        #expect(arguments.word(Self.maybe) == "x")
    }

    @Test(
        "takes an argument in each form",
        arguments: [["-n5"], ["-n", "5"], ["--number=5"], ["--number", "5"], ["--numbe=5"]])
    func forms(words: [String]) throws {
        let arguments = try OptionParser(options: Self.table).parse(words.map { Word($0) }).arguments
        #expect(arguments.word(Self.number) == "5")
        #expect(arguments.operands.isEmpty)
    }

    @Test("an optional argument must be attached")
    func optional() throws {
        let arguments = try parse("--maybe", "x")
        #expect(arguments.word(Self.maybe) == "")
        #expect(arguments.operands == ["x"])
    }

    @Test("-- ends options, and - is an operand")
    func dashes() throws {
        #expect(try parse("-", "--", "-f", "--flag").operands == ["-", "-f", "--flag"])
        #expect(try parse("--", "--").operands == ["--"])
    }

    @Test("of an option that is there twice the last counts")
    func twice() throws {
        #expect(try parse("-n1", "-n2").word(Self.number) == "2")
    }

    @Test("the rest of the line belongs to an option that takes it")
    func rest() throws {
        let arguments = try parse("a", "--exec", "sh", "-c", "echo", "--flag", "--", "-n")
        #expect(arguments.operands == ["a"])
        #expect(arguments.rest(Self.exec) == ["sh", "-c", "echo", "--flag", "--", "-n"])
        #expect(!arguments.has(Self.flag))
        #expect(throws: Failure.usage("--exec wants CMD… after it")) { try parse("a", "--exec") }
    }

    @Test("negative numbers are operands where the command wants that", arguments: ["-5", "-0.5", "-1e9", "-1.25E-3"])
    func negativeNumbers(word: String) throws {
        let arguments = try parse("a", word, "-n", word, numbers: true)
        #expect(arguments.operands == ["a", Word(word)])
        #expect(arguments.word(Self.number) == Word(word))
        #expect(throws: Failure.self) { try parse("a", word, numbers: false) }
    }

    @Test("what only begins like a number is an option", arguments: ["-5x", "-1.", "-1e", "-"])
    func notQuiteNumbers(word: String) {
        #expect(!OptionParser.isNumber(Array(word.utf8)))
    }

    @Test("stops at the first operand if asked to")
    func front() throws {
        let parser = OptionParser(options: Self.table, stopsAtOperand: true)
        let (arguments, read) = try parser.parse(["-f", "post", "-n"])
        #expect(arguments.has(Self.flag))
        #expect(read == 1)
        #expect(arguments.operands.isEmpty)
    }

    @Test("bytes that are no text come through unchanged")
    func bytes() throws {
        let word = Word(bytes: [0xFF, 0x01, 0x80])
        #expect(try OptionParser(options: []).parse([word]).arguments.operands == [word])
        #expect(throws: Failure.usage("channel '\u{FFFD}\\u0001\u{FFFD}' is not valid UTF-8")) {
            try word.text("channel")
        }
    }

    @Test(
        "a mistake is a sentence that names it",
        arguments: [
            (["--nothing"], "unknown option '--nothing'"),
            (["--flga"], "unknown option '--flga'; did you mean '--flag'?"),
            (["--flag=1"], "--flag takes no argument"),
            (["--number"], "--number wants an argument"),
            (["-n"], "--number wants an argument"),
            (["--num=1"], "'--num' could be --number, --numeral"),
            (["--flag", "-xf"], "unknown option '-x'"),
            (["-fx"], "unknown option '-x'"),
            (["-7"], "unknown option '-7'; put -- before a word that begins with a dash"),
        ])
    func mistakes(words: [String], sentence: String) {
        let parser = OptionParser(options: Self.table)
        #expect(throws: Failure.usage(sentence)) { try parser.parse(words.map { Word($0) }) }
    }

    @Test("parsers in several threads do not disturb each other")
    func threads() async {
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<50 {
                group.addTask {
                    let words = (0..<number).flatMap { [Word("o\($0)"), Word("-n\($0)")] }
                    let parsed = try? OptionParser(options: Self.table).parse(words).arguments
                    return parsed?.operands.count == number
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
