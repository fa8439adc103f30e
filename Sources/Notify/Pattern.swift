// A channel name with wildcards. A value of this type is always valid.

extension NotifyCenter {
    /// A channel name in which `*` stands for exactly one token and a final `>` for one or more, for example `shop.>`.
    public struct Pattern: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
        /// The pattern as it stands on the wire.
        public let rawValue: String

        /// Makes a pattern from text that comes from outside.
        ///
        /// - Throws: ``NotifyError`` with the code `invalid_pattern`, which says what is wrong at which byte.
        public init(validating text: some StringProtocol) throws(NotifyError) {
            let text = String(text)
            try NameRules.checkPattern(text)
            rawValue = text
        }

        /// The pattern that matches exactly this channel.
        public init(_ channel: Channel) {
            rawValue = channel.rawValue
        }

        /// Makes a pattern, or nil when the text is none.
        public init?(rawValue: String) {
            try? self.init(validating: rawValue)
        }

        /// The text as it stands on the wire.
        public var description: String { rawValue }
    }
}

extension NotifyCenter.Pattern: ExpressibleByStringLiteral {
    /// Makes a pattern from a literal. A literal that is no pattern stops the program with a sentence.
    public init(stringLiteral text: String) {
        do {
            try self.init(validating: text)
        } catch {
            preconditionFailure(error.message)
        }
    }
}

extension NotifyCenter.Pattern: Codable {
    /// Reads a pattern from a string and checks it.
    public init(from decoder: any Decoder) throws {
        try self.init(validating: String(from: decoder))
    }

    /// Writes the pattern as a string.
    public func encode(to encoder: any Encoder) throws {
        try rawValue.encode(to: encoder)
    }
}
