// Strict JSON (RFC 8259, valid UTF-8, no lone surrogates, limited depth), one pass, nothing built.
//
// The input is one line: `end` points at its newline. A newline is illegal inside every JSON token, so it stops each
// inner loop by itself; together with 16 readable bytes after it that removes all bounds tests.

import CNotify

package struct JSONScanner {
    package typealias Pointer = UnsafePointer<UInt8>

    /// How deep arrays and objects may nest in one line, the envelope counted.
    package static let maximumDepth = 128

    package let start: Pointer
    package let end: Pointer
    package var at: Pointer

    /// What was wrong, once a method has returned false.
    package private(set) var failure: (offset: Int, expected: StaticString) = (0, "")

    /// The characters of the string scanned last, as they stand in the line, and whether escapes are among them.
    package private(set) var string = ByteSlice.empty
    package private(set) var stringHasEscapes = false
    /// The string scanned last is ASCII without escapes; of the control characters only DEL may be in it.
    package private(set) var stringIsPlain = false

    package init(start: Pointer, end: Pointer) {
        self.start = start
        self.end = end
        self.at = start
    }

    @inline(never)
    package mutating func fail(_ expected: StaticString, at place: Pointer) -> Bool {
        failure = (place - start, expected)
        return false
    }

    @inline(__always)
    package mutating func skipWhitespace() { at = Self.afterWhitespace(at) }

    /// Consumes `byte` if it comes next.
    @inline(__always)
    package mutating func take(_ byte: UInt8) -> Bool {
        guard at.pointee == byte else { return false }
        at += 1
        return true
    }

    @inline(__always)
    package var isAtEnd: Bool { at == end }

    // MARK: Strings

    /// Scans a string; `at` stands on its opening quote and is left behind the closing one.
    @inline(__always)
    package mutating func scanString() -> Bool {
        guard take(UInt8(ascii: "\"")) else { return fail("a string", at: at) }
        let first = at
        let stop = UnsafePointer(cnotify_skip_plain(at)).unsafelyUnwrapped
        if _fastPath(stop.pointee == UInt8(ascii: "\"")) {
            string = ByteSlice(from: first, to: stop)
            stringHasEscapes = false
            stringIsPlain = true
            at = stop + 1
            return true
        }
        return scanRestOfString(first, stop)
    }

    private mutating func scanRestOfString(_ first: Pointer, _ stop: Pointer) -> Bool {
        var stop = stop
        stringHasEscapes = false
        stringIsPlain = false
        while true {
            switch stop.pointee {
            case UInt8(ascii: "\""):
                string = ByteSlice(from: first, to: stop)
                at = stop + 1
                return true
            case UInt8(ascii: "\\"):
                stringHasEscapes = true
                let length = escapeLength(stop)
                guard length > 0 else { return false }
                stop += length
            case 0x80...:
                let length = Self.sequenceLength(stop)
                guard length > 0 else { return fail("valid UTF-8", at: stop) }
                stop += length
            default:
                if stop == end { return fail("a closing quote", at: stop) }
                return fail("no unescaped control character in a string", at: stop)
            }
            stop = UnsafePointer(cnotify_skip_plain(stop)).unsafelyUnwrapped
        }
    }

    /// Length of the escape at `place`, a surrogate pair counted as one; 0 after a failure.
    private mutating func escapeLength(_ place: Pointer) -> Int {
        switch place[1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return 2
        case UInt8(ascii: "u"):
            guard let unit = Self.hexUnit(place + 2) else {
                _ = fail("four hexadecimal digits after \\u", at: place)
                return 0
            }
            switch unit {
            case 0xD800...0xDBFF:
                if place[6] == UInt8(ascii: "\\"), place[7] == UInt8(ascii: "u"), let low = Self.hexUnit(place + 8),
                    0xDC00...0xDFFF ~= low
                {
                    return 12
                }
                _ = fail("a low surrogate escape after a high one", at: place)
                return 0
            case 0xDC00...0xDFFF:
                _ = fail("no lone surrogate escape", at: place)
                return 0
            default:
                return 6
            }
        default:
            _ = fail("a valid escape", at: place)
            return 0
        }
    }

    /// The value of four hexadecimal digits. Stops at the first byte that is none, so never reads past a newline.
    package static func hexUnit(_ place: Pointer) -> UInt32? {
        var value: UInt32 = 0
        for index in 0..<4 {
            let byte = place[index]
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt32(byte - 48)
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt32(byte - 87)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): value = value << 4 | UInt32(byte - 55)
            default: return nil
            }
        }
        return value
    }

    /// Length of the UTF-8 sequence at `place` (Unicode 15, table 3-7), 0 if it is ill-formed.
    private static func sequenceLength(_ place: Pointer) -> Int {
        @inline(__always) func continues(_ index: Int, _ range: ClosedRange<UInt8> = 0x80...0xBF) -> Bool {
            range ~= place[index]
        }
        switch place.pointee {
        case 0xC2...0xDF: return continues(1) ? 2 : 0
        case 0xE0: return continues(1, 0xA0...0xBF) && continues(2) ? 3 : 0
        case 0xED: return continues(1, 0x80...0x9F) && continues(2) ? 3 : 0
        case 0xE1...0xEF: return continues(1) && continues(2) ? 3 : 0
        case 0xF0: return continues(1, 0x90...0xBF) && continues(2) && continues(3) ? 4 : 0
        case 0xF1...0xF3: return continues(1) && continues(2) && continues(3) ? 4 : 0
        case 0xF4: return continues(1, 0x80...0x8F) && continues(2) && continues(3) ? 4 : 0
        default: return 0
        }
    }

    // MARK: Numbers and literals

    /// Scans a number; `at` stands on its first byte.
    package mutating func scanNumber() -> Bool {
        @inline(__always) func isDigit(_ byte: UInt8) -> Bool { byte &- 48 < 10 }
        var place = at
        if place.pointee == UInt8(ascii: "-") { place += 1 }
        if place.pointee == UInt8(ascii: "0") {
            place += 1
            if isDigit(place.pointee) { return fail("no digit after a leading zero", at: place) }
        } else {
            guard isDigit(place.pointee) else { return fail("a digit", at: place) }
            place = Self.afterDigits(place)
        }
        guard let end = afterFraction(place) else { return false }
        at = end
        return true
    }

    /// Passes over decimal digits.
    @inline(__always)
    static func afterDigits(_ place: Pointer) -> Pointer {
        UnsafePointer(cnotify_skip_digits(place)).unsafelyUnwrapped
    }

    /// What follows the digits of a whole number at `digitsEnd`: nothing, a fraction, an exponent. Behind them; nil
    /// after a failure.
    private mutating func afterFraction(_ digitsEnd: Pointer) -> Pointer? {
        @inline(__always) func isDigit(_ byte: UInt8) -> Bool { byte &- 48 < 10 }
        var place = digitsEnd
        if place.pointee == UInt8(ascii: ".") {
            place += 1
            guard isDigit(place.pointee) else { return failed("a digit after the decimal point", at: place) }
            place = Self.afterDigits(place)
        }
        if place.pointee | 0x20 == UInt8(ascii: "e") {
            place += 1
            if place.pointee == UInt8(ascii: "+") || place.pointee == UInt8(ascii: "-") { place += 1 }
            guard isDigit(place.pointee) else { return failed("a digit in the exponent", at: place) }
            place = Self.afterDigits(place)
        }
        return place
    }

    private mutating func failed(_ expected: StaticString, at place: Pointer) -> Pointer? {
        _ = fail(expected, at: place)
        return nil
    }

    package mutating func scanLiteral(_ literal: StaticString) -> Bool {
        for index in 0..<literal.utf8CodeUnitCount where at[index] != literal.utf8Start[index] {
            return fail("a value", at: at)
        }
        at += literal.utf8CodeUnitCount
        return true
    }

    // MARK: Any value

    /// Scans any value that starts at `at` and may nest `maximumDepth - outer` levels deep.
    package mutating func scanValue(outer: Int) -> Bool {
        // One bit for each open level, the innermost lowest: set for an object. No recursion, so no stack to exhaust.
        var kinds: UInt128 = 0
        var depth = 0
        // In a register while nothing but the usual comes; the slow paths work on `at`.
        var place = at
        while true {
            switch place.pointee {
            case UInt8(ascii: "\""):
                guard let end = afterString(place) else { return false }
                place = end
            case UInt8(ascii: "1")...UInt8(ascii: "9"):
                place = Self.afterDigits(place)
                if place.pointee == UInt8(ascii: ".") || place.pointee | 0x20 == UInt8(ascii: "e") {
                    guard let end = afterFraction(place) else { return false }
                    place = end
                }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                guard outer + depth < Self.maximumDepth else {
                    return fail("at most 128 levels of nesting", at: place)
                }
                let isObject = place.pointee == UInt8(ascii: "{")
                kinds = kinds &<< 1 | (isObject ? 1 : 0)
                depth &+= 1
                place = Self.afterWhitespace(place + 1)
                if place.pointee == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                    place += 1
                    kinds &>>= 1
                    depth &-= 1
                } else {
                    if isObject {
                        guard let end = afterKey(place) else { return false }
                        place = end
                    }
                    continue
                }
            default:
                guard let end = afterSimpleValue(place) else { return false }
                place = end
            }
            // A value has ended: close levels, or go on to the next member.
            while true {
                if depth == 0 {
                    at = place
                    return true
                }
                place = Self.afterWhitespace(place)
                let isObject = kinds & 1 == 1
                if place.pointee == UInt8(ascii: ",") {
                    place += 1
                    place = Self.afterWhitespace(place)
                    if isObject {
                        guard let end = afterKey(place) else { return false }
                        place = end
                    }
                    break
                }
                guard place.pointee == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
                    return fail(isObject ? "',' or '}'" : "',' or ']'", at: place)
                }
                place += 1
                kinds &>>= 1
                depth &-= 1
            }
        }
    }

    @inline(__always)
    private static func afterWhitespace(_ place: Pointer) -> Pointer {
        place.pointee > UInt8(ascii: " ") ? place : afterMoreWhitespace(place)
    }

    /// Apart, so that the usual line, which has none, pays one comparison.
    @inline(never)
    private static func afterMoreWhitespace(_ first: Pointer) -> Pointer {
        var place = first
        while place.pointee == UInt8(ascii: " ") || place.pointee == 9 || place.pointee == 13 { place += 1 }
        return place
    }

    /// Behind the string whose opening quote is at `place`; nil after a failure.
    @inline(__always)
    private mutating func afterString(_ place: Pointer) -> Pointer? {
        let stop = UnsafePointer(cnotify_skip_plain(place + 1)).unsafelyUnwrapped
        if _fastPath(stop.pointee == UInt8(ascii: "\"")) { return stop + 1 }
        return scanRestOfString(place + 1, stop) ? at : nil
    }

    /// Behind `"key" :` and the white space around it; nil after a failure.
    @inline(__always)
    private mutating func afterKey(_ place: Pointer) -> Pointer? {
        guard place.pointee == UInt8(ascii: "\"") else { return failed("a key", at: place) }
        guard let end = afterString(place) else { return nil }
        let colon = Self.afterWhitespace(end)
        guard colon.pointee == UInt8(ascii: ":") else { return failed("':'", at: colon) }
        return Self.afterWhitespace(colon + 1)
    }

    /// Behind the number or literal that begins at `place`, for which no time needs to be saved.
    @inline(never)
    private mutating func afterSimpleValue(_ place: Pointer) -> Pointer? {
        at = place
        let isValid =
            switch place.pointee {
            case UInt8(ascii: "-"), UInt8(ascii: "0"): scanNumber()
            case UInt8(ascii: "t"): scanLiteral("true")
            case UInt8(ascii: "f"): scanLiteral("false")
            case UInt8(ascii: "n"): scanLiteral("null")
            default: fail("a value", at: place)
            }
        return isValid ? at : nil
    }

    /// Scans `"key" :` and the white space around it; the key is left in `string`.
    @inline(__always)
    package mutating func scanKey() -> Bool {
        guard at.pointee == UInt8(ascii: "\"") else { return fail("a key", at: at) }
        guard scanString() else { return false }
        skipWhitespace()
        guard take(UInt8(ascii: ":")) else { return fail("':'", at: at) }
        skipWhitespace()
        return true
    }

    /// Whether nothing but white space is left.
    package mutating func finish() -> Bool {
        skipWhitespace()
        return isAtEnd || fail("the end of the line", at: at)
    }
}
