// The connection's end on the event loop: makes sockets, reads them, closes them. Everything here but `execute` runs on
// the loop's queue. It knows its link only weakly: when nobody holds the link any more, the socket is closed.

import Glibc
import NotifyTransport

final class SocketPort: Port, EventHandler, @unchecked Sendable {
    private let loop: EventLoop
    private weak var link: Link?
    private var id: HandlerID?
    private var socket: Int32 = -1
    private var watchesInput = true
    private var watchesOutput = false
    /// Tells events of this socket from those of an earlier one that are still on their way.
    private var generation: UInt32 = 0
    private var intake = Intake()

    /// On any thread.
    init(loop: EventLoop, link: Link) {
        self.loop = loop
        self.link = link
    }

    func execute(_ body: @escaping @Sendable () -> Void) {
        loop.execute(body)
    }

    // MARK: Sockets

    /// Tries the sockets one after the other.
    func connect(_ endpoint: NotifyCenter.Endpoint, to chosen: String?) {
        guard let link else { return }
        let places: Places
        do {
            places = try Places(endpoint) { name in getenv(name).map { String(cString: $0) } }
        } catch {
            return link.attempted(.failed(error))
        }
        let paths = chosen.map { [$0] } ?? places.paths
        for path in paths {
            if let attempt = connect(to: path) { return link.attempted(attempt) }
        }
        link.attempted(.failed(Places.absence(paths)))
    }

    /// One try; nil when nobody listens there.
    private func connect(to path: String) -> ConnectionAttempt? {
        let address: SocketAddress
        do {
            address = try Places.address(path)
        } catch {
            return .failed(error)
        }
        let fd = SystemCalls.makeSocket()
        guard fd >= 0 else {
            return .failed(Places.refusal(path, SystemError(.socket, Int32(-fd))))
        }
        let result = SystemCalls.connect(Int32(fd), address)
        if result == 0 {
            if let error = adopt(Int32(fd)) { return .failed(Places.refusal(path, error)) }
            return .connected(Int32(fd), path: path)
        }
        SystemCalls.close(Int32(fd))
        switch Int32(-result) {
        case ECONNREFUSED where Self.isSomethingElse(path): return .failed(Places.mistake(path))
        case ENOENT, ECONNREFUSED, ENOTDIR: return nil
        // A Unix socket never answers EINPROGRESS: EAGAIN means that the listener's backlog is full.
        case EAGAIN: return .busy(Places.silence(path))
        case EACCES, EPERM: return .failed(Places.prohibition(path, group: SocketGroup.name(of: path)))
        case let number: return .failed(Places.refusal(path, SystemError(.connect, number)))
        }
    }

    /// The path leads to a file or a directory.
    private static func isSomethingElse(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFSOCK
    }

    private func adopt(_ fd: Int32) -> SystemError? {
        drop()
        let id = self.id ?? loop.addHandler(self)
        self.id = id
        generation &+= 1
        intake = Intake()
        (watchesInput, watchesOutput) = (true, false)
        if let error = loop.add(fd, .input, token: generation, for: id) {
            SystemCalls.close(fd)
            return error
        }
        socket = fd
        return nil
    }

    func drop() {
        guard socket >= 0 else { return }
        loop.remove(socket)
        SystemCalls.close(socket)
        socket = -1
        intake = Intake()
    }

    func retire() {
        drop()
        if let id { loop.removeHandler(id) }
        id = nil
    }

    func watchOutput(_ wanted: Bool) {
        watchesOutput = wanted
        watch()
    }

    func watchInput(_ wanted: Bool) {
        watchesInput = wanted
        watch()
    }

    private func watch() {
        guard socket >= 0, let id else { return }
        var wanted: Readiness = watchesInput ? .input : []
        if watchesOutput { wanted.insert(.output) }
        _ = loop.modify(socket, wanted, token: generation, for: id)
    }

    func setDeadline(_ time: UInt64) {
        let id = self.id ?? loop.addHandler(self)
        self.id = id
        loop.setDeadline(time, for: id)
    }

    // MARK: Events

    func ready(_ readiness: Readiness, token: UInt32) {
        guard token == generation, socket >= 0 else { return }
        guard let link else { return drop() }
        if readiness.contains(.output) { link.canWrite() }
        if readiness.isDisjoint(with: [.input, .hangUp, .error]) { return }
        read(link)
    }

    /// Reads in a row from one socket; the loop comes back for what is left after all others had their turn.
    private static let readsPerTurn = 8

    private func read(_ link: Link) {
        for _ in 0..<Self.readsPerTurn where socket >= 0 {
            switch intake.fill(socket) {
            case .bytes(let isDrained):
                if let read = intake.lines() {
                    link.received(read)
                    if let failure = read.failure { return link.lost(failure) }
                }
                if isDrained || !watchesInput { return }
            case .nothing: return
            case .end: return link.lost(nil)
            case .failed(let error): return link.lost(error)
            }
        }
    }

    func wakeUpEnded() {}

    func deadlineReached(_ now: UInt64) {
        link?.tick()
    }
}
