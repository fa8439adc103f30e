// Where a daemon listens: a path in the file system, or `@name` in Linux's abstract namespace (unix(7)).

import Glibc

package struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    /// `sun_path` is 108 bytes: a path needs one for its NUL, an abstract name one for the NUL before it.
    package static let maximumBytes = 107

    package enum Fault: Error, Equatable, CustomStringConvertible, Sendable {
        case empty
        case tooLong(String, Int)
        case containsNUL(String)

        package var description: String {
            switch self {
            case .empty: "the socket path is empty"
            case .tooLong(let path, let count):
                "the socket path '\(path)' is \(count) bytes long; the kernel's limit is \(maximumBytes) bytes"
            case .containsNUL(let path):
                "the socket path '\(path.replacing("\0", with: "\\0"))' contains a NUL byte"
            }
        }
    }

    package let description: String

    /// - Parameter text: a path, or `@` and an abstract name.
    package init(_ text: String) throws(Fault) {
        if text.isEmpty || text == "@" { throw .empty }
        if text.utf8.contains(0) { throw .containsNUL(text) }
        // An abstract name's NUL takes the place of its '@'.
        let count = text.utf8.first == UInt8(ascii: "@") ? text.utf8.count - 1 : text.utf8.count
        if count > Self.maximumBytes { throw .tooLong(text, count) }
        self.description = text
    }

    /// The address that a socket is bound to, in the words of its user; nil if it has none or is no Unix socket.
    package init?(boundTo descriptor: Int32) {
        var address = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path).unsafelyUnwrapped
        guard result == 0, address.sun_family == sa_family_t(AF_UNIX), Int(length) > start else { return nil }
        var bytes = withUnsafeBytes(of: &address.sun_path) { Array($0.prefix(Int(length) - start)) }
        if bytes.first == 0 { bytes[0] = UInt8(ascii: "@") }
        self.description = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    package var isAbstract: Bool { description.utf8.first == UInt8(ascii: "@") }

    /// The path, nil for an abstract name.
    package var path: String? { isAbstract ? nil : description }

    func withSockaddr<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(description.utf8)
        if isAbstract { bytes[0] = 0 } else { bytes.append(0) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = MemoryLayout<sockaddr_un>.offset(of: \.sun_path).unsafelyUnwrapped + bytes.count
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
        }
    }
}
