// A refusal of the kernel: which call, and its errno.

import Glibc

package struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    package var call: SystemCalls.Call
    package var number: Int32

    package init(_ call: SystemCalls.Call, _ number: Int32) {
        self.call = call
        self.number = number
    }

    /// `bind: Permission denied`
    package var description: String { "\(call.rawValue): \(reason)" }

    /// The errno in words, as strerror(3) has it.
    package var reason: String {
        var text = [CChar](repeating: 0, count: 256)
        guard strerror_r(number, &text, text.count) == 0 else { return "errno \(number)" }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
