// The words as getopt wants them: an array of C strings that it may reorder. Words that must not be taken for options
// (`-5`) hide behind a byte of their own while getopt looks; they are told by their address, so no text is special.

import Glibc

/// A C copy of a command line, with a program name in front.
final class CommandLineCopy {
    let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    let count: Int32
    private var allocations: [UnsafeMutablePointer<CChar>] = []
    private var hidden: Set<UnsafeMutablePointer<CChar>> = []

    init(_ words: [Word], protecting isProtected: ([UInt8]) -> Bool) {
        count = Int32(words.count + 1)
        pointers = .allocate(capacity: words.count + 2)
        pointers.initialize(repeating: nil, count: words.count + 2)
        pointers[0] = add([])
        for (index, word) in words.enumerated() {
            let hides = isProtected(word.bytes)
            let pointer = add(hides ? [1] + word.bytes : word.bytes)
            if hides { hidden.insert(pointer) }
            pointers[index + 1] = pointer
        }
    }

    func free() {
        for pointer in allocations { pointer.deallocate() }
        pointers.deallocate()
    }

    /// The word at an address that getopt gave: a whole word, or the inside of one (`--name=value`).
    func word(_ pointer: UnsafeMutablePointer<CChar>?) -> Word {
        guard let pointer else { return Word(bytes: []) }
        let start = hidden.contains(pointer) ? pointer + 1 : pointer
        return Word(bytes: UnsafeBufferPointer(start: start, count: strlen(start)).map(UInt8.init(bitPattern:)))
    }

    func word(at index: Int) -> Word { word(pointers[index]) }

    func words(from index: Int) -> [Word] { (index..<max(index, Int(count))).map(word(at:)) }

    private func add(_ bytes: [UInt8]) -> UnsafeMutablePointer<CChar> {
        let pointer = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
        for (index, byte) in bytes.enumerated() { pointer[index] = CChar(bitPattern: byte) }
        pointer[bytes.count] = 0
        allocations.append(pointer)
        return pointer
    }
}
