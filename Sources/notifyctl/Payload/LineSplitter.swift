// Cuts what comes from standard input into lines: at byte 0x0A and nothing else, a `\r` before it dropped, the last one
// with or without an end. A line that is longer than anything the daemon takes is never collected.

/// Cuts a stream of bytes into lines.
struct LineSplitter {
    /// A longer line than this many bytes is an error.
    let limit: Int
    private var rest: [UInt8] = []
    private var position = 0
    /// Where the search for the end of the first line goes on.
    private var searched = 0
    /// The number of the line that was taken last, from 1.
    private(set) var number = 0

    init(limit: Int) { self.limit = limit }

    mutating func feed(_ bytes: some Sequence<UInt8>) {
        rest.removeSubrange(..<position)
        searched -= position
        position = 0
        rest.append(contentsOf: bytes)
    }

    /// No more bytes come: what is left is the last line.
    private(set) var isAtEnd = false

    mutating func end() { isAtEnd = true }

    /// The next line; nil: none is complete.
    mutating func next() throws(Failure) -> ArraySlice<UInt8>? {
        let newline = rest[searched...].firstIndex(of: 0x0A)
        let line: ArraySlice<UInt8>
        if let newline {
            line = rest[position..<newline]
        } else {
            searched = rest.count
            if rest.count - position > limit + 1 { throw tooLong() }
            guard isAtEnd, position < rest.count else { return nil }
            line = rest[position...]
        }
        number += 1
        position = min(line.endIndex + 1, rest.count)
        searched = position
        let trimmed = line.last == 0x0D ? line.dropLast() : line
        if trimmed.count > limit { throw Failure(.data, "line \(number): longer than \(limit) bytes") }
        return trimmed
    }

    private mutating func tooLong() -> Failure {
        number += 1
        return Failure(.data, "line \(number): longer than \(limit) bytes")
    }
}
