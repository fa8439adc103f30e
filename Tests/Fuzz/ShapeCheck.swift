// A payload of a known shape is passed on without being scanned: whatever a shape admits must be valid.

enum ShapeCheck {
    /// - Parameter payload: one that is valid.
    static func run(_ payload: [UInt8]) {
        var shape = PayloadShape()
        let learnt = Padded(payload)
        shape.learn(ByteSlice(from: learnt.start, to: learnt.end))
        guard shape.count > 0 else { return }
        guard shape.admits(learnt.start) else { fatalError("a shape does not admit what it was learnt from") }
        // The same input has to give the same changes: the fuzzer's bytes are the chance.
        var state = payload.reduce(UInt64(payload.count)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 } | 1
        for _ in 1...24 {
            var other = payload
            for _ in 0...2 {
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                other[Int(state % UInt64(other.count))] = UInt8(truncatingIfNeeded: state >> 40) & 0x7F
            }
            let changed = Padded(other)
            guard shape.admits(changed.start) else { continue }
            var scanner = JSONScanner(start: changed.start, end: changed.end)
            guard scanner.scanValue(outer: 1), scanner.isAtEnd else {
                fatalError("\(String(decoding: other, as: UTF8.self)) is admitted")
            }
        }
    }
}
