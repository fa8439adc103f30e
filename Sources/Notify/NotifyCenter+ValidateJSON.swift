// The daemon's own judgement of JSON, for programs that get payloads from elsewhere and want to refuse bad ones early.

extension NotifyCenter {
    /// Checks that bytes are one strict JSON value, as the daemon accepts payloads: RFC 8259, valid UTF-8, no lone
    /// surrogates, not nested too deep. Line breaks may stand between its tokens.
    ///
    /// - Throws: ``NotifyError`` with the code `invalid_json`, the offset of the first wrong byte and what was expected.
    public static func validateJSON(_ text: some Sequence<UInt8>) throws(NotifyError) {
        _ = try PayloadCoder.check(text)
    }
}
