// Writing to a descriptor.

import Foundation
import Glibc
import Testing

@testable import notifyctl

@Suite("Standard output")
struct OutputTests {
    @Test("waits for a reader, also where somebody made the descriptor non-blocking", arguments: [0, O_NONBLOCK])
    func slowReader(flags: Int32) async throws {
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        let (reading, writing) = (ends[0], ends[1])
        #expect(fcntl(writing, F_SETFL, flags) == 0)
        // Far more than a pipe holds.
        let expected = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        // A thread of its own: the write below blocks one of the few that run tasks.
        let (received, reader) = AsyncStream.makeStream(of: Data.self)
        Thread.detachNewThread {
            reader.yield(FileHandle(fileDescriptor: reading, closeOnDealloc: true).readDataToEndOfFile())
            reader.finish()
        }
        var output = Output(writing, StandardDescriptors())
        output.add { $0 += expected }
        #expect(output.pendingBytes == expected.count)
        try output.flush()
        #expect(output.pendingBytes == 0)
        close(writing)
        var all = Data()
        for await data in received { all += data }
        #expect(Array(all) == expected)
    }

    @Test("what was closed at the start is told, and never written to")
    func closed() {
        var output = Output(1, StandardDescriptors(closed: [1]))
        output.add(line: "lost")
        #expect(throws: Failure(.inputOutput, "standard output: it is closed")) { try output.requireOpen() }
        do throws(Failure) {
            try output.flush()
            Issue.record("it was written")
        } catch {
            #expect(error.status == .inputOutput)
        }
    }
}

@Suite("Slots")
struct SlotsTests {
    @Test("let as many in as were given back")
    func order() async {
        let slots = Slots(2)
        await slots.take()
        await slots.take()
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        var waiting: [Task<Void, Never>] = []
        for number in 1...3 {
            waiting.append(
                Task {
                    await slots.take()
                    continuation.yield(number)
                })
        }
        var served: Set<Int> = []
        var iterator = stream.makeAsyncIterator()
        for _ in 1...3 {
            slots.give()
            if let number = await iterator.next() { served.insert(number) }
        }
        #expect(served == [1, 2, 3])
    }
}
