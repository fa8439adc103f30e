// The other side: a datagram socket that plays the service manager, at a path, or at a name in the abstract space.

import CSystemd
import Glibc

final class Receiver {
    /// What NOTIFY_SOCKET would hold.
    let address: String
    private let descriptor: Int32
    private let directory: String

    /// The path lies in a directory made for this test; the abstract name is that path, which makes it unique.
    init(abstract: Bool = false, pathLength: Int? = nil) {
        var template = Array("/tmp/notify-test.XXXXXX".utf8CString)
        mkdtemp(&template)
        directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        let stem = directory + "/"
        let path = stem + String(repeating: "n", count: (pathLength ?? stem.utf8.count + 1) - stem.utf8.count)
        address = abstract ? "@" + path : path

        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(address.utf8)
        withUnsafeMutableBytes(of: &name.sun_path) { room in
            room.copyBytes(from: bytes)
            if abstract { room[0] = 0 }
        }
        let length = socklen_t(MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + bytes.count)
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let bound = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        precondition(bound == 0, "cannot bind \(address): \(String(cString: strerror(errno)))")
    }

    deinit {
        close(descriptor)
        unlink(address)
        rmdir(directory)
    }

    /// The datagrams that wait, oldest first.
    func receive() -> [String] {
        var messages: [String] = []
        while let message = receiveOne() {
            messages.append(message)
        }
        return messages
    }

    func receiveOne() -> String? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count < 0 ? nil : String(decoding: buffer.prefix(count), as: UTF8.self)
    }
}
