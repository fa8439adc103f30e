// SQLite's log, read before SQLite goes on with it. A frame whose checksum is wrong is the end of the log to SQLite, as if
// the daemon had died while it wrote it: what follows, acknowledged or not, goes without a word. A commit that stands
// there tells that it did not end so, since one was written after the other, each on disk before the next was begun.
//
// A log that was cut off cannot be told from one that ended there. One that could not be synced, or was in the middle of
// the last commit when the machine lost its power, may be taken for damaged: that costs an epoch, and no message.
//
// The format: https://www.sqlite.org/fileformat2.html#walformat

import Glibc

struct WriteAheadLog {
    private static let headLength = 32
    private static let frameHeadLength = 24

    private let descriptor: Int32
    private var sum: (UInt32, UInt32) = (0, 0)
    private var isLittleEndian = false

    /// Whether a commit stands in the log that SQLite does not find.
    static func hidesCommit(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var log = WriteAheadLog(descriptor: descriptor)
        return log.hidesCommit()
    }

    private init(descriptor: Int32) { self.descriptor = descriptor }

    private mutating func hidesCommit() -> Bool {
        // Nothing was ever on disk behind a head that is not there yet.
        guard let head = read(Self.headLength, at: 0), head.contains(where: { $0 != 0 }) else { return false }
        let magic = Self.word(head, 0)
        isLittleEndian = magic == 0x377F_0682
        add(head[..<24])
        let page = Int(Self.word(head, 8))
        guard isLittleEndian || magic == 0x377F_0683, isSum(head, 24), 512...65536 ~= page else { return true }
        var place = Self.headLength
        var isWhole = true
        while let frame = read(Self.frameHeadLength + page, at: place) {
            place += frame.count
            // Those of an earlier round, which the head has put an end to.
            guard frame[8..<16] == head[16..<24] else {
                isWhole = false
                continue
            }
            if isWhole {
                add(frame[..<8])
                add(frame[24...])
                isWhole = isSum(frame, 16)
            }
            let isCommit = Self.word(frame, 4) != 0
            if isCommit, !isWhole { return true }
        }
        return false
    }

    private func read(_ count: Int, at place: Int) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
            length = max(0, pread(descriptor, buffer.baseAddress, count, off_t(place)))
        }
        return bytes.count == count ? bytes : nil
    }

    private mutating func add(_ bytes: ArraySlice<UInt8>) {
        bytes.withUnsafeBytes { bytes in
            for place in stride(from: 0, to: bytes.count - 7, by: 8) {
                sum.0 &+= number(bytes, place) &+ sum.1
                sum.1 &+= number(bytes, place + 4) &+ sum.0
            }
        }
    }

    private func number(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> UInt32 {
        let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)
        return isLittleEndian ? UInt32(littleEndian: word) : UInt32(bigEndian: word)
    }

    private func isSum(_ bytes: [UInt8], _ place: Int) -> Bool {
        sum == (Self.word(bytes, place), Self.word(bytes, place + 4))
    }

    private static func word(_ bytes: [UInt8], _ place: Int) -> UInt32 {
        bytes.withUnsafeBytes { UInt32(bigEndian: $0.loadUnaligned(fromByteOffset: place, as: UInt32.self)) }
    }
}
