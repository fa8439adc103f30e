// The name of a channel: tokens joined by dots. A value of this type is always valid.

extension NotifyCenter {
    /// The name of a channel, for example `shop.cart`: tokens joined by `.`, at most 255 bytes.
    public struct Channel: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
        /// The name as it stands on the wire.
        public let rawValue: String

        /// Makes a channel from text that comes from outside.
        ///
        /// - Throws: ``NotifyError`` with the code `invalid_channel`, which says what is wrong at which byte.
        public init(validating text: some StringProtocol) throws(NotifyError) {
            let text = String(text)
            try NameRules.checkChannel(text)
            rawValue = text
        }

        /// Makes a channel, or nil when the text is no channel name.
        public init?(rawValue: String) {
            try? self.init(validating: rawValue)
        }

        /// A name that the daemon sent: it was checked there.
        init(trusted text: String) {
            rawValue = text
        }

        /// The text as it stands on the wire.
        public var description: String { rawValue }
    }
}

extension NotifyCenter.Channel: ExpressibleByStringLiteral {
    /// Makes a channel from a literal. A literal that is no channel name stops the program with a sentence.
    public init(stringLiteral text: String) {
        do {
            try self.init(validating: text)
        } catch {
            preconditionFailure(error.message)
        }
    }
}

extension NotifyCenter.Channel: Codable {
    /// Reads a channel from a string and checks it.
    public init(from decoder: any Decoder) throws {
        try self.init(validating: String(from: decoder))
    }

    /// Writes the channel as a string.
    public func encode(to encoder: any Encoder) throws {
        try rawValue.encode(to: encoder)
    }
}
