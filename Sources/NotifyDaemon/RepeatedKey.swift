// A key that stands twice in one object. Foundation's decoder takes the first one without a word; in a list of rules that
// would be a right that somebody believes to have given, or taken. This looks at JSON5 that Foundation has understood, so
// that it only has to tell keys from all else.

/// Where the key stands for the second time.
struct RepeatedKey: Equatable {
    /// With the objects and lists around it: `channels[1].history.bytes`.
    var path: String
    /// From 1.
    var line: Int

    /// The first one in the text; nil when every key stands once in its object.
    static func first(in text: some Sequence<UInt8>) -> RepeatedKey? {
        var scan = Scan(bytes: Array(text))
        return scan.run()
    }

    /// The brackets that are not closed at the end of the text, and the lines where they are.
    static func openBrackets(in text: some Sequence<UInt8>) -> [(bracket: Character, line: Int)] {
        var scan = Scan(bytes: Array(text))
        while let byte = scan.next() { _ = scan.take(byte) }
        return zip(scan.unclosed, scan.openedIn).map { ($0.bracket, $1) }
    }
}

private struct Scan {
    let bytes: [UInt8]
    var place = 0
    var line = 1
    var unclosed: [Container] = []
    /// The lines where they begin.
    var openedIn: [Int] = []
    /// The string or word that came last, which is a key if a colon follows.
    var word: (text: [UInt8], line: Int) = ([], 1)

    enum Container {
        case object(keys: Set<[UInt8]>, current: [UInt8])
        case list(index: Int)

        var bracket: Character {
            if case .object = self { "{" } else { "[" }
        }
    }

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func run() -> RepeatedKey? {
        while let byte = next() {
            if take(byte) { return RepeatedKey(path: path, line: word.line) }
        }
        return nil
    }

    /// Whether a key has come for the second time.
    mutating func take(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "/"): skipComment()
        case UInt8(ascii: "\""), UInt8(ascii: "'"): word = (string(endingWith: byte), line)
        case UInt8(ascii: "{"): open(.object(keys: [], current: []))
        case UInt8(ascii: "["): open(.list(index: 0))
        case UInt8(ascii: "}"), UInt8(ascii: "]"): (_, _) = (unclosed.popLast(), openedIn.popLast())
        case UInt8(ascii: ","):
            if case .list(let index) = unclosed.last { unclosed[unclosed.count - 1] = .list(index: index + 1) }
        case UInt8(ascii: ":"): return isRepeated()
        case let byte where !Self.isSpace(byte): word = (name(beginningWith: byte), line)
        default: break
        }
        return false
    }

    private mutating func open(_ container: Container) {
        unclosed.append(container)
        openedIn.append(line)
    }

    /// Whether the object already has the key that the last word is.
    private mutating func isRepeated() -> Bool {
        guard case .object(var keys, _) = unclosed.last else { return false }
        let isNew = keys.insert(word.text).inserted
        unclosed[unclosed.count - 1] = .object(keys: keys, current: word.text)
        return !isNew
    }

    private var path: String {
        unclosed.reduce(into: "") { path, container in
            switch container {
            case .object(_, let current): path += (path.isEmpty ? "" : ".") + String(decoding: current, as: UTF8.self)
            case .list(let index): path += "[\(index)]"
            }
        }
    }

    mutating func next() -> UInt8? {
        guard place < bytes.count else { return nil }
        defer { place += 1 }
        if bytes[place] == UInt8(ascii: "\n") { line += 1 }
        return bytes[place]
    }

    private mutating func skipComment() {
        guard let kind = next() else { return }
        var last: UInt8 = 0
        while let byte = next() {
            if kind == UInt8(ascii: "/"), byte == UInt8(ascii: "\n") { return }
            if kind == UInt8(ascii: "*"), last == UInt8(ascii: "*"), byte == UInt8(ascii: "/") { return }
            last = byte
        }
    }

    private mutating func string(endingWith quote: UInt8) -> [UInt8] {
        var text: [UInt8] = []
        while let byte = next(), byte != quote {
            if byte == UInt8(ascii: "\\") { escape(into: &text) } else { text.append(byte) }
        }
        return text
    }

    /// A name without quotes, or a number or literal, which no colon follows.
    private mutating func name(beginningWith first: UInt8) -> [UInt8] {
        var text: [UInt8] = []
        place -= 1
        while place < bytes.count, !Self.isSpace(bytes[place]), !Self.delimiters.contains(bytes[place]) {
            place += 1
            let byte = bytes[place - 1]
            if byte == UInt8(ascii: "\\") { escape(into: &text) } else { text.append(byte) }
        }
        // A byte that begins nothing would be looked at for ever.
        if text.isEmpty { place += 1 }
        return text
    }

    /// What comes after a backslash: JSON5 has those of JSON, of one and two digits, and any character for itself.
    private mutating func escape(into text: inout [UInt8]) {
        guard let kind = next() else { return }
        switch kind {
        case UInt8(ascii: "u"): append(code: digits(4), to: &text)
        case UInt8(ascii: "x"): append(code: digits(2), to: &text)
        case UInt8(ascii: "n"): text.append(10)
        case UInt8(ascii: "t"): text.append(9)
        case UInt8(ascii: "r"): text.append(13)
        case UInt8(ascii: "b"): text.append(8)
        case UInt8(ascii: "f"): text.append(12)
        case UInt8(ascii: "v"): text.append(11)
        case UInt8(ascii: "0"): text.append(0)
        case UInt8(ascii: "\n"): break
        default: text.append(kind)
        }
    }

    private mutating func digits(_ count: Int) -> UInt32 {
        let end = min(place + count, bytes.count)
        defer { place = end }
        return UInt32(String(decoding: bytes[place..<end], as: UTF8.self), radix: 16) ?? 0
    }

    /// Halves of a pair are told apart from others by a code of their own, which is all that comparing needs.
    private func append(code: UInt32, to text: inout [UInt8]) {
        if let scalar = Unicode.Scalar(code) {
            text += Array(String(Character(scalar)).utf8)
        } else {
            text += [0xFF, UInt8(code >> 8 & 0xFF), UInt8(code & 0xFF)]
        }
    }

    private static let delimiters = Set(":,{}[]/\"'".utf8)

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || 9...13 ~= byte }
}
