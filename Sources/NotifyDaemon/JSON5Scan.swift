// Goes through JSON5 that Foundation has understood, so that it only has to tell strings, words, comments and brackets from
// each other: for what Foundation does not tell, such as keys that stand twice, and where something is. It reads as
// Foundation does (JSON5Scanner.swift of swift-foundation), which a comment shows: there CR ends one, and U+2028 does not.

struct JSON5Scan {
    /// So many brackets within each other Foundation reads.
    static let depthLimit = 512

    let bytes: [UInt8]
    private var place = 0
    private var line = 1
    /// The objects and lists that are not closed.
    private(set) var unclosed: [Container] = []
    /// The string or word that came last, which is a key if a colon follows.
    private(set) var word = Word()
    /// Whether what comes next is the value of a key.
    private var hasKey = false
    /// The line of the first bracket that stands within too many others.
    private(set) var tooDeep: Int?
    /// The line of the first comment that would end earlier if U+2028 and U+2029 were seen, as JSON5 says.
    private(set) var doubtfulComment: Int?

    struct Word {
        /// Without quotes and escapes.
        var text: [UInt8] = []
        /// As it stands there.
        var range = 0..<0
        var line = 1
        /// An element of a list, or the value of a key.
        var isValue = false
    }

    struct Container {
        var kind: Kind
        /// Where it begins.
        var line: Int

        enum Kind {
            case object(keys: Set<[UInt8]>, current: [UInt8])
            case list(index: Int)
        }

        var bracket: Character {
            if case .object = kind { "{" } else { "[" }
        }
    }

    init(_ text: some Sequence<UInt8>) { bytes = Array(text) }

    /// One that has come to the end of the text.
    static func whole(_ text: some Sequence<UInt8>) -> JSON5Scan {
        var scan = JSON5Scan(text)
        while let byte = scan.next() { _ = scan.take(byte) }
        return scan
    }

    /// Whether a key has come for the second time.
    mutating func take(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "/"): skipComment()
        case UInt8(ascii: "\""), UInt8(ascii: "'"): takeWord { $0.string(endingWith: byte) }
        case UInt8(ascii: "{"): open(.object(keys: [], current: []))
        case UInt8(ascii: "["): open(.list(index: 0))
        case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = unclosed.popLast()
        case UInt8(ascii: ","):
            hasKey = false
            guard case .list(let index) = unclosed.last?.kind else { break }
            unclosed[unclosed.count - 1].kind = .list(index: index + 1)
        case UInt8(ascii: ":"): return isRepeated()
        case let byte where !Self.isSpace(byte): takeWord { $0.name() }
        default: break
        }
        return false
    }

    private mutating func open(_ kind: Container.Kind) {
        unclosed.append(Container(kind: kind, line: line))
        if unclosed.count == Self.depthLimit + 1, tooDeep == nil { tooDeep = line }
        hasKey = false
    }

    private mutating func takeWord(_ read: (inout Self) -> [UInt8]) {
        let (start, line) = (place - 1, line)
        let text = read(&self)
        var isValue = hasKey
        if case .list = unclosed.last?.kind { isValue = true }
        word = Word(text: text, range: start..<place, line: line, isValue: isValue)
    }

    /// Whether the object already has the key that the last word is.
    private mutating func isRepeated() -> Bool {
        guard case .object(var keys, _) = unclosed.last?.kind else { return false }
        hasKey = true
        // Held twice the set would be copied for each key.
        unclosed[unclosed.count - 1].kind = .list(index: 0)
        let isNew = keys.insert(word.text).inserted
        unclosed[unclosed.count - 1].kind = .object(keys: keys, current: word.text)
        return !isNew
    }

    /// Where it is: `channels[1].history.bytes`.
    var path: String {
        unclosed.reduce(into: "") { path, container in
            switch container.kind {
            case .object(_, let current): path += (path.isEmpty ? "" : ".") + String(decoding: current, as: UTF8.self)
            case .list(let index): path += "[\(index)]"
            }
        }
    }

    mutating func next() -> UInt8? {
        guard place < bytes.count else { return nil }
        defer { place += 1 }
        if LineEnds.isEnd(bytes[place], after: place > 0 ? bytes[place - 1] : nil) { line += 1 }
        return bytes[place]
    }

    private mutating func skipComment() {
        let line = line
        guard let kind = next() else { return }
        var (last, beforeLast) = (UInt8(0), UInt8(0))
        while let byte = next() {
            if kind == UInt8(ascii: "/") {
                if byte == LineEnds.feed || byte == LineEnds.carriageReturn { return }
                let isSeparator = (beforeLast, last) == (0xE2, 0x80) && (byte == 0xA8 || byte == 0xA9)
                if isSeparator, doubtfulComment == nil { doubtfulComment = line }
            } else if kind == UInt8(ascii: "*"), last == UInt8(ascii: "*"), byte == UInt8(ascii: "/") {
                return
            }
            (beforeLast, last) = (last, byte)
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
    private mutating func name() -> [UInt8] {
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

    /// What comes after a backslash: JSON5 has those of JSON, of one and two digits, and any character for itself. (The end
    /// of a line stands for itself, too, where JSON5 has it stand for nothing.)
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
