// Bytes that come, and those of them that wait for the rest of their line.

import Glibc
import NotifyTransport
import Testing

@Suite("The inbound buffer")
struct InboundBufferTests {
    private let shared = ReadBuffer()

    private func text() -> String {
        String(
            decoding: UnsafeBufferPointer(start: shared.content.pointee.bytes, count: shared.content.pointee.count),
            as: UTF8.self)
    }

    private func expect(
        _ buffer: inout InboundBuffer, _ descriptor: Int32, _ expected: InboundBuffer.Outcome,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let outcome = buffer.read(from: descriptor, into: shared)
        #expect(outcome == expected, sourceLocation: sourceLocation)
    }

    @Test("reads what is there and says whether that was all")
    func reads() {
        let pair = SocketPair()
        var buffer = InboundBuffer()
        expect(&buffer, pair.near, .wouldBlock)
        pair.send("hello")
        expect(&buffer, pair.near, .data(isDrained: true))
        #expect(text() == "hello")
        let sent = pair.send([UInt8](repeating: 120, count: ReadBuffer.chunk + 10))
        #expect(sent == ReadBuffer.chunk + 10)
        expect(&buffer, pair.near, .data(isDrained: false))
        #expect(shared.content.pointee.count == ReadBuffer.chunk)
        expect(&buffer, pair.near, .data(isDrained: true))
        #expect(shared.content.pointee.count == 10)
        pair.closeFar()
        expect(&buffer, pair.near, .endOfFile)
        #expect(shared.content.pointee.count == 0)
    }

    @Test("puts what was kept in front of what comes next")
    func keeps() {
        let pair = SocketPair()
        var buffer = InboundBuffer()
        defer { buffer.release() }
        pair.send("one\ntw")
        _ = buffer.read(from: pair.near, into: shared)
        buffer.keep(from: 4, of: shared)
        #expect(buffer.keptCount == 2)
        // Another connection uses the shared buffer meanwhile.
        let other = SocketPair()
        var second = InboundBuffer()
        other.send("xxxxxxxxxx")
        _ = second.read(from: other.near, into: shared)
        expect(&buffer, pair.near, .wouldBlock)
        #expect(text() == "tw")
        buffer.keep(from: 0, of: shared)
        pair.send("o\nthree")
        expect(&buffer, pair.near, .data(isDrained: true))
        #expect(text() == "two\nthree")
        buffer.keep(from: 4, of: shared)
        #expect(buffer.keptCount == 5)
        let hasMore = buffer.resume(in: shared)
        #expect(hasMore)
        #expect(text() == "three")
        buffer.keep(from: 5, of: shared)
        #expect(buffer.keptCount == 0)
        let isEmpty = !buffer.resume(in: shared)
        #expect(isEmpty)
    }

    @Test("grows with a line that does not end, byte for byte", arguments: [1, 5000, ReadBuffer.chunk])
    func grows(piece: Int) {
        let pair = SocketPair()
        var buffer = InboundBuffer()
        defer { buffer.release() }
        var total = 0
        for round in 0..<30 {
            pair.send((0..<piece).map { UInt8(truncatingIfNeeded: (total + $0) % 251) })
            while case .data = buffer.read(from: pair.near, into: shared) {
                buffer.keep(from: 0, of: shared)
            }
            total += piece
            #expect(buffer.keptCount == total, "round \(round)")
        }
        let hasMore = buffer.resume(in: shared)
        #expect(hasMore)
        let isWhole = (0..<total).allSatisfy { shared.content.pointee.bytes[$0] == UInt8(truncatingIfNeeded: $0 % 251) }
        #expect(isWhole)
    }

    @Test("gives a last line without a newline one", arguments: [1, 100, ReadBuffer.chunk])
    func lastLine(count: Int) {
        let pair = SocketPair()
        var buffer = InboundBuffer()
        defer { buffer.release() }
        let nothing = buffer.terminateKept()
        #expect(nothing == nil)
        pair.send([UInt8](repeating: 97, count: count))
        _ = buffer.read(from: pair.near, into: shared)
        buffer.keep(from: 0, of: shared)
        guard let (bytes, length) = buffer.terminateKept() else {
            Issue.record("nothing kept")
            return
        }
        #expect(length == count)
        #expect(bytes[count] == 10)
        #expect(bytes[count - 1] == 97)
    }

    @Test("tells what the kernel refused", arguments: [ECONNRESET, ENOMEM, EIO])
    func refused(number: Int32) {
        let pair = SocketPair()
        var buffer = InboundBuffer()
        SystemCalls.inject([.init(.read, on: pair.near, number)])
        expect(&buffer, pair.near, .failed(number))
        pair.send("x")
        expect(&buffer, pair.near, .data(isDrained: true))
    }
}
