// From the words of the process to what it is to do: global options, the command, its options. Nothing here has an
// effect, so every refusal comes before anything happens.

/// What a command line asks for.
enum Request {
    /// Text for stdout, and success.
    case show(String)
    case run(any Command, GlobalOptions)

    init(_ words: [Word]) throws(Failure) {
        let front = OptionParser(options: GlobalOptions.table, stopsAtOperand: true)
        let (globals, read) = try front.parse(words)
        if globals.has(.help) {
            self = .show(Help.overview)
            return
        }
        if globals.has(.version) {
            self = .show("notifyctl \(ProductVersion.text)\n")
            return
        }
        guard read < words.count else { throw .usage("no command; see notifyctl --help") }
        if words[read].shown == "help" {
            self = .show(try Self.help(about: words[(read + 1)...]))
            return
        }
        let type = try Commands.named(words[read].shown)
        self = try Self.read(type, Array(words[(read + 1)...]), globals)
    }

    /// `notifyctl help [COMMAND]`, as many other tools have it.
    private static func help(about words: ArraySlice<Word>) throws(Failure) -> String {
        guard let word = words.first(where: { !$0.shown.hasPrefix("-") }) else { return Help.overview }
        return Help.text(of: try Commands.named(word.shown))
    }

    private static func read(
        _ type: any Command.Type, _ words: [Word], _ globals: Arguments
    ) throws(Failure) -> Request {
        if type.takesEveryWord { return .run(try type.init(Arguments(operands: words)), GlobalOptions()) }
        let parser = OptionParser(
            options: type.options + GlobalOptions.table, numbersAreOperands: type.numbersAreOperands)
        do {
            var (arguments, _) = try parser.parse(words)
            arguments.prepend(globals)
            if arguments.has(.help) { return .show(Help.text(of: type)) }
            if arguments.has(.version) { return .show("notifyctl \(ProductVersion.text)\n") }
            let options = try GlobalOptions(arguments)
            return .run(try type.init(arguments), options)
        } catch {
            throw Failure(error.status, error.text.map { "\(type.name): \($0)" })
        }
    }
}
