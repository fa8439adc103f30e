// A word of the command line as the kernel passed it: bytes. Turning them into a String early would replace what is
// not UTF-8 and post something that nobody wrote.

/// One word of the command line.
struct Word: Equatable, Sendable, ExpressibleByStringLiteral {
    var bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    init(_ text: String) { bytes = Array(text.utf8) }

    init(stringLiteral text: String) { self.init(text) }

    /// The word for a message to a person: never a raw control byte, never a guess that fails.
    var shown: String { Printable.text(bytes) }

    /// The word as text; `role` says what it stands for.
    func text(_ role: String) throws(Failure) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .usage("\(role) '\(shown)' is not valid UTF-8")
        }
        return text
    }
}
