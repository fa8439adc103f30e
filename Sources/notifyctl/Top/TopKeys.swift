// Keys out of the bytes of a terminal: what begins with ESC is one key that we do not know (an arrow, a function key), and
// none of its letters is one. An ESC that nothing follows for a while is the key of that name.

/// Passes over escape sequences, wherever a read has cut them.
struct TopKeys {
    private enum State { case text, escape, sequence, single }

    private var state = State.text

    /// The key that this byte is, if it is one.
    mutating func key(_ byte: UInt8) -> UInt8? {
        switch (state, byte) {
        case (_, 0x1B): state = .escape
        case (.text, _): return byte
        case (.escape, UInt8(ascii: "[")): state = .sequence
        case (.escape, UInt8(ascii: "O")): state = .single
        // Parameters come first; the last byte is a letter or a tilde.
        case (.sequence, 0x40...0x7E), (.escape, _), (.single, _): state = .text
        case (.sequence, _): break
        }
        return nil
    }

    /// Something has begun that may go on.
    var isWaiting: Bool { state != .text }

    /// Nothing has come for a while: the key that this was, if it is one.
    mutating func pause() -> UInt8? {
        defer { state = .text }
        return state == .escape ? 0x1B : nil
    }
}
