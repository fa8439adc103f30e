// What is a socket's address and what is none: nothing is ever cut short.

import Glibc
import NotifyTestSupport
import NotifyTransport
import Testing

@Suite("Socket addresses")
struct SocketAddressTests {
    @Test("may be as long as the kernel takes and not one byte longer", arguments: [1, 106, 107, 108, 109, 300])
    func length(count: Int) {
        let path = "/" + String(repeating: "x", count: count - 1)
        let abstract = "@" + String(repeating: "x", count: count)
        if count <= 107 {
            #expect(throws: Never.self) { try SocketAddress(path) }
            #expect(throws: Never.self) { try SocketAddress(abstract) }
        } else {
            #expect(throws: SocketAddress.Fault.tooLong(path, count)) { try SocketAddress(path) }
            #expect(throws: SocketAddress.Fault.tooLong(abstract, count)) { try SocketAddress(abstract) }
        }
    }

    @Test("are measured in bytes, not in characters")
    func multiByte() {
        #expect(throws: Never.self) { try SocketAddress("/" + String(repeating: "é", count: 53)) }
        let long = "/" + String(repeating: "é", count: 54)
        #expect(throws: SocketAddress.Fault.tooLong(long, 109)) { try SocketAddress(long) }
    }

    @Test("are not empty and hold no NUL byte")
    func refused() {
        #expect(throws: SocketAddress.Fault.empty) { try SocketAddress("") }
        #expect(throws: SocketAddress.Fault.empty) { try SocketAddress("@") }
        #expect(throws: SocketAddress.Fault.containsNUL("/a\0b")) { try SocketAddress("/a\0b") }
        #expect(throws: SocketAddress.Fault.containsNUL("@a\0")) { try SocketAddress("@a\0") }
    }

    @Test("say which kind they are")
    func kinds() throws {
        let path = try SocketAddress("/run/x")
        #expect(!path.isAbstract)
        #expect(path.path == "/run/x")
        let abstract = try SocketAddress("@x")
        #expect(abstract.isAbstract)
        #expect(abstract.path == nil)
        #expect("\(abstract)" == "@x")
    }

    @Test("refused say the path, its length and the limit")
    func words() {
        let fault = SocketAddress.Fault.tooLong("/x", 300)
        #expect("\(fault)" == "the socket path '/x' is 300 bytes long; the kernel's limit is 107 bytes")
        #expect("\(SocketAddress.Fault.containsNUL("/a\0b"))" == #"the socket path '/a\0b' contains a NUL byte"#)
    }

    @Test("are told by a bound socket as they were given", arguments: [false, true])
    func bound(isAbstract: Bool) throws {
        let directory = try TemporaryDirectory()
        let address = try SocketAddress(isAbstract ? "@notifyd-test-\(getpid())" : directory.path("s"))
        let socket = try ListeningSocket(binding: address, mode: 0o600)
        defer { socket.close() }
        #expect(SocketAddress(boundTo: socket.descriptor) == address)
    }

    @Test("are nil for what is bound to nothing, or is no Unix socket")
    func unbound() {
        let fresh = Int32(SystemCalls.makeSocket())
        defer { SystemCalls.close(fresh) }
        #expect(SocketAddress(boundTo: fresh) == nil)
        #expect(SocketAddress(boundTo: -1) == nil)
    }
}
