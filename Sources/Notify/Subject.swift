// Whom or what a message is about: what `object:` is to Foundation's notification center.

extension NotifyCenter {
    /// Whom or what a message is about, for example `cart-42`: 1 to 255 bytes without control characters.
    ///
    /// Two subjects are equal when their bytes are: unlike `String`, composed and decomposed letters differ.
    public struct Subject: Sendable, RawRepresentable, CustomStringConvertible {
        /// The subject as it stands on the wire.
        public let rawValue: String

        /// Makes a subject from text that comes from outside.
        ///
        /// - Throws: ``NotifyError`` with the code `invalid_field`.
        public init(validating text: some StringProtocol) throws(NotifyError) {
            let text = String(text)
            try NameRules.checkLabel(text, of: "subject")
            rawValue = text
        }

        /// Makes a subject, or nil when the text cannot be one.
        public init?(rawValue: String) {
            try? self.init(validating: rawValue)
        }

        /// A subject that the daemon sent: it was checked there.
        init(trusted text: String) {
            rawValue = text
        }

        /// The text as it stands on the wire.
        public var description: String { rawValue }
    }
}

extension NotifyCenter.Subject: Hashable {
    /// Compares bytes.
    public static func == (left: Self, right: Self) -> Bool {
        left.rawValue.utf8.elementsEqual(right.rawValue.utf8)
    }

    /// Hashes bytes.
    public func hash(into hasher: inout Hasher) {
        for byte in rawValue.utf8 {
            hasher.combine(byte)
        }
    }
}

extension NotifyCenter.Subject: ExpressibleByStringLiteral {
    /// Makes a subject from a literal. A literal that cannot be one stops the program with a sentence.
    public init(stringLiteral text: String) {
        do {
            try self.init(validating: text)
        } catch {
            preconditionFailure(error.message)
        }
    }
}

extension NotifyCenter.Subject: Codable {
    /// Reads a subject from a string and checks it.
    public init(from decoder: any Decoder) throws {
        try self.init(validating: String(from: decoder))
    }

    /// Writes the subject as a string.
    public func encode(to encoder: any Encoder) throws {
        try rawValue.encode(to: encoder)
    }
}
