// Lines, as editors and JSON5 count them: LF, CR, or both together end one. (JSON5 has two more, U+2028 and U+2029, which
// Foundation does not know: see `RepeatedKey`.)

import FoundationEssentials

enum LineEnds {
    static let feed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")

    /// Whether a line ends with this byte, before which `last` stands. Of CR and LF together the CR is its end.
    static func isEnd(_ byte: UInt8, after last: UInt8?) -> Bool {
        byte == carriageReturn || byte == feed && last != carriageReturn
    }

    /// The places behind the lines of the text; the last is its end.
    static func places(in text: Data) -> [Int] {
        var places: [Int] = []
        for index in text.indices {
            let next = index + 1 < text.endIndex ? text[index + 1] : nil
            let isEnd = text[index] == feed || text[index] == carriageReturn && next != feed
            if isEnd { places.append(index + 1) }
        }
        return places + [text.endIndex]
    }
}
