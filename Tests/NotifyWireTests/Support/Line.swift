// Lines as the parsers want them, and what a parser says about one.

import NotifyWire

/// A line in a buffer as the parser wants it: a newline and sixteen readable bytes behind it.
enum Line {
    static func with(_ text: String, _ body: (UnsafePointer<UInt8>, UnsafePointer<UInt8>) -> Void) {
        with(Array(text.utf8), body)
    }

    static func with(_ bytes: [UInt8], _ body: (UnsafePointer<UInt8>, UnsafePointer<UInt8>) -> Void) {
        let buffer = bytes + [0x0A] + [UInt8](repeating: 0xAA, count: 16)
        buffer.withUnsafeBufferPointer { pointer in
            guard let start = pointer.baseAddress else { return }
            body(start, start + bytes.count)
        }
    }
}

/// One request, read by a parser of its own.
struct Parsed {
    enum Outcome: Equatable {
        case blank
        case request(Op)
        case refused(ErrorCode)
    }

    let outcome: Outcome
    let refusal: Refusal?
    /// The `id` as it stood in the line.
    let id: String

    /// - Parameter look: called with the request while its line still stands.
    init(_ bytes: [UInt8], _ look: (Request) -> Void = { _ in }) {
        var parser = RequestParser()
        var outcome = Outcome.blank
        var refusal: Refusal?
        var id = ""
        Line.with(bytes) { start, end in
            switch parser.parse(start, end) {
            case .blank: return
            case .refused:
                outcome = .refused(parser.refusal.code)
                refusal = parser.refusal
            case .request:
                outcome = .request(parser.request.op)
                look(parser.request)
            }
            id = parser.request.id.text
        }
        (self.outcome, self.refusal, self.id) = (outcome, refusal, id)
    }

    init(_ text: String, _ look: (Request) -> Void = { _ in }) {
        self.init(Array(text.utf8), look)
    }
}
