// Descriptors held for what has to be done also when clients have taken all that there are. They are given up for it, and
// taken back right after: nobody else on the hub's queue can get them meanwhile.

import Glibc
import NotifyTransport

struct ReserveDescriptors {
    /// A file of the configuration, and what the system's name services open to say who "alice" is.
    static let count = 8

    private var held: [Int32] = []

    /// Takes what is missing, as far as there are any.
    mutating func fill() {
        while held.count < Self.count {
            let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return }
            held.append(descriptor)
        }
    }

    mutating func giveUpAll() { while giveUpOne() {} }

    /// Returns whether there was one.
    mutating func giveUpOne() -> Bool {
        guard let descriptor = held.popLast() else { return false }
        SystemCalls.close(descriptor)
        return true
    }
}
