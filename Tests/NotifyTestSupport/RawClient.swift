// A client without the library: a socket, lines out, lines in. Every call that waits gives up after a generous time with
// an error, so that a test of a broken daemon fails instead of hanging.

package import Foundation

package final class RawClient {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
        package init(_ description: String) { self.description = description }
    }

    /// Far beyond anything a loaded machine needs: reached only by what is broken.
    package static let patience: Int32 = 30_000

    package private(set) var descriptor: Int32
    /// What came and is not taken yet lies at `taken..<end`. By hand, because arrays are slow in a debug build.
    private var buffer: UnsafeMutableRawPointer = malloc(64 << 10)
    private var capacity = 64 << 10
    private var taken = 0
    private var searched = 0
    private var end = 0
    private var ended = false
    private var nextID = 1_000_000

    /// Connects to `path`; `@name` is an abstract socket.
    package init(_ path: String) throws {
        descriptor = try Self.connect(path)
    }

    deinit {
        close()
        free(buffer)
    }

    private static func connect(_ path: String) throws -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { throw Failure("socket: \(String(cString: strerror(errno)))") }
        var result = withAddress(path) { Glibc.connect(descriptor, $0, $1) }
        // A full backlog answers EAGAIN at once; the only way to wait for room is to ask again.
        var tries = patience
        while result != 0, errno == EAGAIN, tries > 0 {
            tries -= 1
            poll(nil, 0, 1)
            result = withAddress(path) { Glibc.connect(descriptor, $0, $1) }
        }
        guard result == 0 else {
            let reason = String(cString: strerror(errno))
            Glibc.close(descriptor)
            throw Failure("connect to \(path): \(reason)")
        }
        return descriptor
    }

    package static func withAddress<Result>(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { room in
            room.copyBytes(from: bytes.prefix(room.count))
            if bytes.first == UInt8(ascii: "@") { room[0] = 0 }
        }
        let length = MemoryLayout.offset(of: \sockaddr_un.sun_path)! + bytes.count + (bytes.first == 64 ? 0 : 1)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(min(length, 110))) }
        }
    }

    // MARK: Out

    /// Sends lines, each with its newline.
    package func send(_ lines: String...) throws {
        try send(bytes: Array(lines.map { $0 + "\n" }.joined().utf8))
    }

    /// Sends all of the bytes, waiting for the daemon to take them.
    package func send(bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = try offer(bytes[sent...])
            sent += count
            if count == 0 { try wait(for: POLLOUT, "the daemon takes no more") }
        }
    }

    /// Lets the socket hold this much that the daemon has not read.
    package func enlargeOutput(to bytes: Int32) {
        var bytes = bytes
        setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Sends what the socket takes without waiting; returns how much that was.
    package func offer(_ bytes: ArraySlice<UInt8>) throws -> Int {
        let count = bytes.withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        if count >= 0 { return count }
        guard errno == EAGAIN else { throw Failure("send: \(String(cString: strerror(errno)))") }
        return 0
    }

    /// Waits until the daemon has read everything that was sent.
    package func waitUntilRead() throws {
        for _ in 0..<Self.patience {
            var unread: Int32 = 0
            _ = ioctl(descriptor, UInt(TIOCOUTQ), &unread)
            if unread == 0 { return }
            poll(nil, 0, 1)
        }
        throw Failure("the daemon does not read")
    }

    /// Nothing more is asked; answers are still read.
    package func endOutput() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Gone, with or without having read everything.
    package func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    // MARK: In

    /// The next line; an error when the daemon closes instead.
    package func line() throws -> ReceivedLine {
        guard let line = try lineOrEnd() else { throw Failure("the daemon closed the connection") }
        return line
    }

    /// The next line; nil when the daemon has closed the connection.
    package func lineOrEnd() throws -> ReceivedLine? {
        try rawLine().map { try ReceivedLine($0) }
    }

    /// The next line without its newline, not looked at; valid until the next call.
    package func rawLine() throws -> UnsafeRawBufferPointer? {
        while true {
            if let found = memchr(buffer + searched, 10, end - searched) {
                let newline = UnsafeMutableRawPointer(found) - buffer
                defer {
                    taken = newline + 1
                    searched = taken
                }
                return UnsafeRawBufferPointer(start: buffer + taken, count: newline - taken)
            }
            searched = end
            if ended {
                guard taken == end else { throw Failure("the connection ended inside a line") }
                return nil
            }
            if try !receive() { try wait(for: POLLIN, "no line from the daemon") }
        }
    }

    /// The lines up to and including the first that `isLast` accepts.
    package func lines(until isLast: (ReceivedLine) -> Bool) throws -> [ReceivedLine] {
        var lines = [try line()]
        while !isLast(lines[lines.count - 1]) { lines.append(try line()) }
        return lines
    }

    package func lines(_ count: Int) throws -> [ReceivedLine] {
        try (0..<count).map { _ in try line() }
    }

    /// Everything up to the end of the connection.
    package func linesToEnd() throws -> [ReceivedLine] {
        var lines: [ReceivedLine] = []
        while let line = try lineOrEnd() { lines.append(line) }
        return lines
    }

    /// Whether a line, or the end, can be read without waiting.
    package var hasInput: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return searched < end || poll(&entry, 1, 0) > 0
    }

    /// Reads once; false when nothing is there yet.
    private func receive() throws -> Bool {
        makeRoom()
        let count = recv(descriptor, buffer + end, capacity - end, 0)
        let number = errno
        if count > 0 {
            end += count
            return true
        }
        // A peer that goes while we have unread lines resets the connection: it has ended all the same.
        if count == 0 || number == ECONNRESET {
            ended = true
            return true
        }
        guard number == EAGAIN else { throw Failure("recv: \(String(cString: strerror(number)))") }
        return false
    }

    private func makeRoom() {
        memmove(buffer, buffer + taken, end - taken)
        (searched, end, taken) = (searched - taken, end - taken, 0)
        guard end == capacity else { return }
        capacity *= 2
        guard let larger = realloc(buffer, capacity) else { fatalError("no memory for a line") }
        buffer = larger
    }

    private func wait(for event: Int32, _ complaint: String) throws {
        var entry = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        while true {
            let count = poll(&entry, 1, Self.patience)
            if count > 0 { return }
            if count == 0 { throw Failure(complaint) }
        }
    }

    // MARK: Questions

    /// Sends the request with an `id` of its own and returns the answer. Lines that come before it are passed to
    /// `meanwhile`; without it they fail the call.
    @discardableResult
    package func ask(_ request: String, meanwhile: ((ReceivedLine) -> Void)? = nil) throws -> ReceivedLine {
        nextID += 1
        try send("{\"id\":\(nextID)," + request.dropFirst())
        while true {
            let line = try line()
            if line.integer("id") == nextID { return line }
            guard let meanwhile else { throw Failure("asked \(request), got \(line)") }
            meanwhile(line)
        }
    }

    /// Like `ask`, and fails when the answer is not `ok`.
    @discardableResult
    package func must(_ request: String, meanwhile: ((ReceivedLine) -> Void)? = nil) throws -> ReceivedLine {
        let answer = try ask(request, meanwhile: meanwhile)
        guard answer.op == "ok" else { throw Failure("asked \(request.prefix(200)), got \(answer)") }
        return answer
    }

    @discardableResult
    package func subscribe(_ pattern: String, _ more: String = "") throws -> ReceivedLine {
        try must("{\"op\":\"subscribe\",\"channel\":\"\(pattern)\"\(more)}")
    }

    @discardableResult
    package func post(_ channel: String, _ payload: String = "null", _ more: String = "") throws -> ReceivedLine {
        try must("{\"op\":\"post\",\"channel\":\"\(channel)\",\"payload\":\(payload)\(more)}")
    }
}
