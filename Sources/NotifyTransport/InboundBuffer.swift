// What has come from a peer and is not used yet. A connection that has nothing half-read owns no memory: all of them
// read into one shared buffer, and only the beginning of an incomplete line moves to a buffer of their own.

package struct InboundBuffer {
    package enum Outcome: Equatable {
        /// Bytes came; `isDrained` when the kernel had no more than that.
        case data(isDrained: Bool)
        case wouldBlock
        case endOfFile
        case failed(Int32)
    }

    private var own: UnsafeMutablePointer<UInt8>?
    private var capacity: Int32 = 0
    private var kept: Int32 = 0

    package init() {}

    /// Bytes of an incomplete line that wait for their rest.
    package var keptCount: Int { Int(kept) }

    package mutating func read(from fd: Int32, into shared: ReadBuffer) -> Outcome {
        if kept > 0 {
            makeRoom()
            shared.content.pointee.bytes = own.unsafelyUnwrapped
        } else {
            shared.content.pointee.bytes = shared.base
        }
        let result = SystemCalls.read(fd, shared.content.pointee.bytes + Int(kept), ReadBuffer.chunk)
        shared.content.pointee.count = Int(kept) + max(0, result)
        if result > 0 { return .data(isDrained: result < ReadBuffer.chunk) }
        if result == 0 { return .endOfFile }
        return result == -SystemCalls.wouldBlock ? .wouldBlock : .failed(Int32(-result))
    }

    /// Makes the bytes that wait the current ones, without reading more; false when there are none.
    package mutating func resume(in shared: ReadBuffer) -> Bool {
        guard kept > 0, let own else { return false }
        shared.content.pointee.bytes = own
        shared.content.pointee.count = Int(kept)
        return true
    }

    /// The bytes that wait, with a newline behind them: for the last line of an input that ends without one.
    package mutating func terminateKept() -> (UnsafeMutablePointer<UInt8>, Int)? {
        guard kept > 0, let own else { return nil }
        makeRoom()
        (self.own ?? own)[Int(kept)] = UInt8(ascii: "\n")
        return (self.own ?? own, Int(kept))
    }

    /// Keeps the bytes from `start` on for the next read and gives the rest up.
    package mutating func keep(from start: Int, of shared: ReadBuffer) {
        let rest = shared.content.pointee.count - start
        guard rest > 0 else { return release() }
        if let own, shared.content.pointee.bytes == own {
            if start > 0 { own.update(from: own + start, count: rest) }
        } else {
            let fresh = UnsafeMutablePointer<UInt8>.allocate(capacity: rest + ReadBuffer.chunk + ReadBuffer.padding)
            fresh.update(from: shared.content.pointee.bytes + start, count: rest)
            own = fresh
            capacity = Int32(rest + ReadBuffer.chunk + ReadBuffer.padding)
        }
        kept = Int32(rest)
    }

    /// Gives up everything, also at the end of the connection.
    package mutating func release() {
        own?.deallocate()
        own = nil
        capacity = 0
        kept = 0
    }

    private mutating func makeRoom() {
        let needed = Int(kept) + ReadBuffer.chunk + ReadBuffer.padding
        guard needed > Int(capacity), let old = own else { return }
        // Doubling keeps the copying of a very long line linear.
        let larger = max(needed, 2 * Int(capacity))
        let fresh = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        fresh.update(from: old, count: Int(kept))
        old.deallocate()
        own = fresh
        capacity = Int32(larger)
    }
}
