// A line of bash up to the cursor, taken apart as bash does it: quotes and backslashes go, nothing is expanded. What is put
// in the place of the last word is quoted as that word is.

/// The words of an unfinished line.
struct BashLine {
    /// The words after the program's name, but for the last.
    let before: [Word]
    /// The word up to the cursor.
    let current: String
    /// The word is a file that a stream comes from or goes to.
    let isRedirection: Bool
    /// The quote that the word is still in.
    private let quote: UInt8?
    /// How many bytes of `current` stay: readline replaces what comes after the last `=` or `:`.
    private let kept: Int

    private static let single = UInt8(ascii: "'")
    private static let double = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")

    /// - Parameter tail: the end of the line that readline will replace.
    /// - Returns: nil if the word is no text.
    init?(_ line: Word, replacing tail: Word) {
        let words = Self.split(line.bytes)
        guard let last = words.last else { return nil }
        let typed = Self.withoutQuotes(last.bytes)
        guard let text = String(validating: typed.bytes, as: UTF8.self) else { return nil }
        before = words.dropFirst().dropLast().filter { !$0.isTarget }
            .map { Word(bytes: Self.withoutQuotes($0.bytes).bytes) }
        (current, quote, isRedirection) = (text, typed.quote, last.isTarget)
        let isEnd = last.bytes.reversed().starts(with: tail.bytes.reversed())
        kept = isEnd ? Self.withoutQuotes(last.bytes.dropLast(tail.bytes.count)).bytes.count : 0
    }

    /// What readline shall put in the place of the tail, if there is a way to write it.
    func quoted(_ word: String) -> String? {
        let rest = word.utf8.dropFirst(kept)
        var result: [UInt8] = []
        for byte in rest {
            let isSpecial: Bool
            switch quote {
            case Self.single where byte == Self.single: return nil
            case Self.single: isSpecial = false
            case .some: isSpecial = "\"\\$`".utf8.contains(byte)
            case nil: isSpecial = byte < 0x80 && !Self.isPlain(byte)
            }
            result += isSpecial ? [Self.backslash, byte] : [byte]
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "_-.:/@+=,%".utf8.contains(byte)
        }
    }

    /// The words as they are written; the last is empty after a space.
    private static func split(_ line: [UInt8]) -> [(bytes: [UInt8], isTarget: Bool)] {
        var words: [(bytes: [UInt8], isTarget: Bool)] = [([], false)]
        var state = Quotes()
        for byte in line {
            let last = words.count - 1
            if state.isPlain, byte == 0x20 || byte == 0x09 {
                if !words[last].bytes.isEmpty { words.append(([], false)) }
            } else if state.isPlain, byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">") {
                // The number of a stream in front of it is no word.
                if words[last].bytes.allSatisfy({ 48...57 ~= $0 || $0 == UInt8(ascii: "&") }) { words.removeLast() }
                words.append(([], true))
            } else {
                _ = state.read(byte)
                words[last].bytes.append(byte)
            }
        }
        return words
    }

    /// What a word as it is written stands for, and the quote that it leaves open.
    private static func withoutQuotes(_ word: [UInt8]) -> (bytes: [UInt8], quote: UInt8?) {
        var state = Quotes()
        return (word.flatMap { state.read($0) }, state.quote)
    }

    /// Where in quotes a reader is.
    private struct Quotes {
        var quote: UInt8?
        private var isEscaped = false

        var isPlain: Bool { quote == nil && !isEscaped }

        /// The bytes that this one adds to the word.
        mutating func read(_ byte: UInt8) -> [UInt8] {
            if isEscaped {
                isEscaped = false
                // In double quotes a backslash means itself before most letters.
                return quote == double && !"\"\\$`".utf8.contains(byte) ? [backslash, byte] : [byte]
            }
            if byte == backslash, quote != single {
                isEscaped = true
            } else if byte == quote {
                quote = nil
            } else if quote == nil, byte == single || byte == double {
                quote = byte
            } else {
                return [byte]
            }
            return []
        }
    }
}
