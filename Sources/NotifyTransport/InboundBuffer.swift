// What has come from a peer and is not used yet. A connection that has nothing half-read owns no memory: all of them
// read into one shared buffer, and only the beginning of an incomplete line moves to a buffer of their own. That is as
// large as the beginning is, unless the line is so long that copying it with every read would cost.

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

    /// The memory it owns, in bytes.
    package var size: Int { Int(capacity) }

    package mutating func read(from fd: Int32, into shared: ReadBuffer) -> Outcome {
        if let own, kept > 0 {
            if kept > ReadBuffer.front {
                makeRoom(for: ReadBuffer.chunk)
                shared.content.pointee.bytes = self.own ?? own
            } else {
                shared.base.update(from: own, count: Int(kept))
                shared.content.pointee.bytes = shared.base
            }
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
        makeRoom(for: 0)
        (self.own ?? own)[Int(kept)] = UInt8(ascii: "\n")
        return (self.own ?? own, Int(kept))
    }

    /// Keeps the bytes from `start` on for the next read and gives the rest up.
    package mutating func keep(from start: Int, of shared: ReadBuffer) {
        let rest = shared.content.pointee.count - start
        guard rest > 0 else { return release() }
        let bytes = shared.content.pointee.bytes + start
        let needed = rest + ReadBuffer.padding + (rest > ReadBuffer.front ? ReadBuffer.chunk : 0)
        if let own, needed <= Int(capacity), Int(capacity) <= 2 * needed {
            own.update(from: bytes, count: rest)
        } else if start == 0, shared.content.pointee.bytes == own, rest > ReadBuffer.front {
            // It stays where it is, and has grown by half: exactly as much as is needed would be too little every time.
        } else {
            let fresh = UnsafeMutablePointer<UInt8>.allocate(capacity: needed)
            fresh.update(from: bytes, count: rest)
            own?.deallocate()
            own = fresh
            capacity = Int32(needed)
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

    private mutating func makeRoom(for more: Int) {
        let needed = Int(kept) + more + ReadBuffer.padding
        guard needed > Int(capacity), let old = own else { return }
        // Growing by half keeps the copying of a very long line linear.
        let larger = max(needed, Int(capacity) + Int(capacity) / 2)
        let fresh = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        fresh.update(from: old, count: Int(kept))
        old.deallocate()
        own = fresh
        capacity = Int32(larger)
    }
}
