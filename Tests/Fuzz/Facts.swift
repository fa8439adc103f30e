// What a request says, apart from where its bytes stand.

struct Facts: Equatable {
    var op: Op
    var present: FieldSet
    var texts: [[UInt8]]
    var numbers: [UInt64]
    var flags: [Bool]

    init(_ request: Request) {
        let present = request.present
        func slice(_ field: FieldSet, _ slice: ByteSlice) -> [UInt8] {
            present.isDisjoint(with: field) ? [] : [UInt8](slice)
        }
        func number(_ field: FieldSet, _ number: UInt64) -> UInt64 { present.isDisjoint(with: field) ? 0 : number }
        op = request.op
        self.present = present
        texts = [
            [UInt8](request.id), slice(.channel, request.channel), [UInt8](request.type), [UInt8](request.subject),
            [UInt8](request.typeToken), [UInt8](request.subjectToken), slice(.name, request.name),
            slice(.match, request.match), [UInt8](request.payload), slice(.posts, request.posts),
        ]
        numbers = [
            number(.version, request.version), number(.sub, UInt64(request.sub)),
            number(.fromUID, UInt64(request.fromUID)), UInt64(request.wishes.bufferMessages ?? 0),
            UInt64(request.wishes.bufferBytes ?? 0),
        ]
        flags = [request.retain, request.echo, request.wishes.replay == .retained]
    }
}

/// A line in memory as the parsers want it, and not a byte more: a newline and 16 readable bytes behind it.
final class Padded {
    private let memory: UnsafeMutablePointer<UInt8>
    let count: Int

    /// - Parameter rest: what stands behind the newline; it is no part of the line.
    init(_ line: [UInt8], then rest: ArraySlice<UInt8> = []) {
        count = line.count
        memory = .allocate(capacity: count + 17)
        for (index, byte) in line.enumerated() { memory[index] = byte }
        memory[count] = 10
        // Bytes that would go on as a string, so that whoever reads past the newline is misled.
        for index in 1...16 { memory[count + index] = UInt8(ascii: "a") }
        for (index, byte) in rest.prefix(16).enumerated() { memory[count + 1 + index] = byte }
    }

    deinit { memory.deallocate() }

    var start: UnsafePointer<UInt8> { UnsafePointer(memory) }
    var end: UnsafePointer<UInt8> { start + count }

    func bytes(_ range: ByteRange) -> [UInt8] {
        guard range.indices.upperBound <= count else { fatalError("\(range) of \(count) bytes") }
        return range.indices.map { memory[$0] }
    }
}
