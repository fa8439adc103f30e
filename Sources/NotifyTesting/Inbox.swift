// Bytes that centers have sent and the daemon has not read yet: what is a socket's buffer elsewhere.

import NotifyLock

final class Inbox: Sendable {
    private let bytes = Locked<[Int32: [UInt8]]>([:])

    func put(_ new: UnsafeRawBufferPointer, _ connection: Int32) {
        bytes.withLock { $0[connection, default: []].append(contentsOf: new) }
    }

    func take(_ connection: Int32) -> [UInt8] {
        bytes.withLock { $0.removeValue(forKey: connection) ?? [] }
    }

    func forgetAll() {
        bytes.withLock { $0 = [:] }
    }
}
