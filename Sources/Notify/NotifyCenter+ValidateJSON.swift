// The daemon's own judgement of JSON, for programs that get payloads from elsewhere and want to refuse bad ones early.

import NotifyWire

extension NotifyCenter {
    /// Checks that bytes are one strict JSON value, as the daemon accepts payloads: RFC 8259, valid UTF-8, no lone
    /// surrogates, not nested too deep. Line breaks may stand between its tokens.
    ///
    /// - Throws: ``NotifyError`` with the code `invalid_json`, the offset of the first wrong byte and what was expected.
    public static func validateJSON(_ text: some Collection<UInt8>) throws(NotifyError) {
        // A newline ends the scanner's input. Between tokens a carriage return means the same, and inside a string it
        // is as wrong as a newline.
        var bytes = text.map { $0 == 0x0A ? 0x0D : $0 }
        let count = bytes.count
        bytes.append(0x0A)
        bytes.append(contentsOf: repeatElement(0, count: 16))
        let fault = bytes.withUnsafeBufferPointer { buffer -> (offset: Int, expected: StaticString)? in
            guard let start = buffer.baseAddress else { return (0, "a value") }
            var scanner = JSONScanner(start: start, end: start + count)
            scanner.skipWhitespace()
            // The envelope is the first level.
            if scanner.scanValue(outer: 1), scanner.finish() { return nil }
            return scanner.failure
        }
        guard let fault else { return }
        throw NotifyError(
            .invalidJSON, "not JSON at byte \(fault.offset): expected \(fault.expected)", offset: fault.offset)
    }
}
