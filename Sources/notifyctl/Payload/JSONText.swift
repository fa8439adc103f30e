// Writing JSON strings. Only what must be escaped is: text stays readable, and `/` stays `/`.

/// Writes JSON text.
enum JSONText {
    /// Appends `utf8` as a JSON string; the bytes are valid UTF-8.
    static func append(string utf8: some Sequence<UInt8>, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): output += [UInt8(ascii: "\\"), byte]
            case 0x0A: output += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
            case 0x09: output += [UInt8(ascii: "\\"), UInt8(ascii: "t")]
            case 0x0D: output += [UInt8(ascii: "\\"), UInt8(ascii: "r")]
            case 0..<0x20:
                let hex = String(byte, radix: 16)
                output += Array("\\u00\(hex.count == 1 ? "0" : "")\(hex)".utf8)
            default: output.append(byte)
            }
        }
        output.append(UInt8(ascii: "\""))
    }

    static func string(_ utf8: some Sequence<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        append(string: utf8, to: &output)
        return output
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D }

    /// A checked document on one line: newlines can only stand between its tokens, where a space means the same.
    static func onOneLine(_ document: some BidirectionalCollection<UInt8>) -> [UInt8] {
        var result = Array(document)
        while let last = result.last, isSpace(last) { result.removeLast() }
        result.removeFirst(result.prefix(while: isSpace).count)
        for index in result.indices where result[index] == 0x0A { result[index] = 0x20 }
        return result
    }
}
