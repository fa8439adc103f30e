// Standard output: collected per batch, written in one call, so that a reader gets whole records and nothing lingers.

import Glibc

/// A buffered writer to a descriptor.
struct Output: ~Copyable {
    private let descriptor: Int32
    private let wasClosed: Bool
    private let isTerminal: Bool
    private let ignoresPipeSignal: Bool
    private var buffer: [UInt8] = []

    init(_ descriptor: Int32, _ standard: StandardDescriptors) {
        self.descriptor = descriptor
        wasClosed = standard.closed.contains(descriptor)
        isTerminal = Terminal.isThere(descriptor)
        ignoresPipeSignal = standard.ignoresPipeSignal
    }

    /// Refuses early what could never be written.
    func requireOpen() throws(Failure) {
        if wasClosed { throw Failure(.inputOutput, "standard output: it is closed") }
    }

    mutating func add(_ text: String) { buffer.append(contentsOf: text.utf8) }

    mutating func add(line: String) {
        buffer.append(contentsOf: line.utf8)
        buffer.append(0x0A)
    }

    /// Adds text for programs in which others' words are. A terminal gets nothing that it obeys (see `Printable.json`).
    mutating func add(exact text: String) { add(isTerminal ? Printable.json(text) : text) }

    /// Lets `body` append bytes.
    mutating func add(_ body: (inout [UInt8]) -> Void) { body(&buffer) }

    var pendingBytes: Int { buffer.count }

    /// Writes everything.
    mutating func flush() throws(Failure) {
        if buffer.isEmpty { return }
        try requireOpen()
        defer { buffer.removeAll(keepingCapacity: buffer.capacity <= 1 << 20) }
        var written = 0
        while written < buffer.count {
            let count = buffer.withUnsafeBytes { write(descriptor, $0.baseAddress! + written, $0.count - written) }
            if count >= 0 {
                written += count
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                // Somebody who shares the descriptor made it non-blocking.
                var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&state, 1, -1)
            case EPIPE where !ignoresPipeSignal: throw .readerIsGone
            case let code: throw Failure(.inputOutput, "standard output: \(String(cString: strerror(code)))")
            }
        }
    }
}

/// Standard error: one line at a time, and nobody to tell if that fails.
enum Diagnostics {
    static func say(_ text: String) {
        var line = Array("notifyctl: \(Printable.line(text))\n".utf8)
        while !line.isEmpty {
            let count = write(2, line, line.count)
            if count < 0 {
                if errno == EINTR { continue }
                return
            }
            line.removeFirst(count)
        }
    }
}
