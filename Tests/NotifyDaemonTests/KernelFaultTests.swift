// The daemon in this process, and a kernel that refuses: whichever call fails with whichever error, nobody but the one it
// was made for notices, nothing is kept, and the next one is served as if nothing had been.

import Dispatch
import Foundation
import NotifySystemd
import NotifyTestSupport
import NotifyTransport
import Testing

@testable import NotifyDaemon

@Suite("When the kernel refuses", .serialized, .ownThreads)
struct KernelFaultTests {
    /// A hub that serves a socket of its own. Faults are for calls made on its queue alone.
    private final class House: @unchecked Sendable {
        private static let key = DispatchSpecificKey<ObjectIdentifier>()
        private let directory: TemporaryDirectory
        /// A pipe into which nobody writes: no signal comes.
        private let signals: [Int32]
        let loop: EventLoop
        /// To be used on the loop's queue.
        let hub: Hub
        let path: String

        init() throws {
            directory = try TemporaryDirectory()
            path = directory.path("socket")
            let log = Log(level: .error)
            let listener = try ListeningSocket(binding: SocketAddress(path), mode: 0o600)
            loop = try EventLoop(label: "test")
            var ends: [Int32] = [-1, -1]
            try #require(pipe(&ends) == 0)
            signals = ends
            let configuration = Configuration()
            let parts = Daemon.Parts(
                listeners: [Listener(listener)], configuration: configuration, signals: ends[0], log: log,
                loadConfiguration: { configuration })
            let service = ServiceState(manager: ServiceManager(warn: { _ in }), now: 0)
            hub = Hub(loop: loop, parts: parts, service: service)
            loop.queue.setSpecific(key: Self.key, value: ObjectIdentifier(loop))
            onQueue { $0.start() }
        }

        func fault(_ call: SystemCalls.Call, _ outcome: SystemCalls.Fault.Outcome) -> SystemCalls.Fault {
            let mine = ObjectIdentifier(loop)
            return .init(call, outcome) { _ in DispatchQueue.getSpecific(key: Self.key) == mine }
        }

        @discardableResult
        func onQueue<Result: Sendable>(_ body: @escaping @Sendable (Hub) -> Result) -> Result {
            let done = DispatchSemaphore(value: 0)
            nonisolated(unsafe) var result: Result?
            loop.execute { [self] in
                result = body(hub)
                done.signal()
            }
            done.wait()
            return result!
        }

        /// The end: every connection and descriptor of the hub's is given back.
        func close() {
            let done = DispatchSemaphore(value: 0)
            loop.execute { [self] in
                hub.finish = { [loop] in
                    loop.stop()
                    done.signal()
                }
                hub.stop()
                hub.wakeUpEnded()
            }
            done.wait()
            signals.forEach { Glibc.close($0) }
        }
    }

    private struct Trial: CustomStringConvertible, Sendable {
        var call: SystemCalls.Call
        var number: Int32
        var description: String { "\(call.rawValue): \(String(cString: strerror(number)))" }
    }

    private static let trials: [Trial] = [
        (.accept, [EINTR, EAGAIN, ECONNABORTED, EMFILE, ENFILE, ENOMEM, ENOBUFS, EPERM, EPROTO]),
        (.read, [EINTR, EAGAIN, ECONNRESET, ENOMEM, EIO]),
        (.send, [EINTR, EAGAIN, EPIPE, ECONNRESET, ENOMEM, ENOBUFS, EMSGSIZE]),
        (.epollControl, [EINTR, ENOMEM, ENOSPC, ENOENT]),
        (.epollWait, [EINTR, EINVAL, EBADF]),
        (.credentials, [EINTR, ENOMEM, ENOTCONN]),
    ].flatMap { (call: SystemCalls.Call, numbers: [Int32]) in numbers.map { Trial(call: call, number: $0) } }

    /// Comes, subscribes, posts and takes the messages; whether it got through, which a client that a fault hits may not.
    private static func visit(_ path: String, _ messages: Int, readsOn: Bool = true) -> Bool {
        do {
            let client = try RawClient(path)
            try client.send(#"{"op":"subscribe","id":"s","channel":"visit"}"#)
            for number in 0..<messages {
                try client.send("{\"op\":\"post\",\"channel\":\"visit\",\"payload\":\(number)}")
            }
            if !readsOn { client.endOutput() }
            var next = 0
            while next < messages {
                guard let line = try client.lineOrEnd() else { return false }
                if line.op == "bye" { return false }
                if line.op == "message" {
                    #expect(line.integer("payload") >= next)
                    next = line.integer("payload") + 1
                }
            }
            return true
        } catch {
            #expect("\(error)".contains("no line") == false, "neither served nor sent away")
            return false
        }
    }

    @Test("one client may suffer, the others and the next do not", arguments: trials)
    private func refused(trial: Trial) throws {
        let house = try House()
        defer { house.close() }
        let (listener, poster) = (try RawClient(house.path), try RawClient(house.path))
        try listener.subscribe("steady")
        try poster.must(#"{"op":"ping"}"#)
        // With these the kernel says that the client does not read any more: the daemon waits for what it still has to say.
        let readsOn = trial.call != .send || ![EPIPE, ECONNRESET].contains(trial.number)
        for occurrence in 0..<4 {
            // Behind so many good calls: the fault meets another moment each time.
            let good = (0..<occurrence).map { _ in house.fault(trial.call, .fails(EINTR)) }
            SystemCalls.inject(good + [house.fault(trial.call, .fails(trial.number))])
            // Every call that there is is made for this one.
            _ = Self.visit(house.path, 20, readsOn: readsOn)
            SystemCalls.takeBackFaults()
            #expect(Self.visit(house.path, 20), "after a visit with fault \(occurrence)")
            try poster.post("steady", "\(occurrence)")
            #expect(try listener.line().integer("payload") == occurrence)
        }
        for _ in 0..<RawClient.patience {
            if house.onQueue({ $0.openSessions }) == 2 { break }
            poll(nil, 0, 1)
        }
        #expect(house.onQueue { $0.openSessions } == 2)
    }

    @Test("or moves a byte at a time, every line is whole", arguments: [1, 2, 3, 7])
    private func shortCounts(count: Int) throws {
        let house = try House()
        defer { house.close() }
        let (listener, poster) = (try RawClient(house.path), try RawClient(house.path))
        try listener.subscribe("short")
        let payload = "\"é𝄞\(String(repeating: "x", count: 300))\""
        SystemCalls.inject(
            (0..<1500).flatMap { _ in [house.fault(.read, .moves(count)), house.fault(.send, .moves(count))] })
        for _ in 0..<3 { try poster.send("{\"op\":\"post\",\"channel\":\"short\",\"payload\":\(payload)}") }
        for _ in 0..<3 { #expect(try listener.line().payload == payload) }
        #expect(SystemCalls.takeBackFaults() < 3000)
    }

    private static func serveOnce() throws {
        let house = try House()
        let client = try RawClient(house.path)
        try client.must(#"{"op":"ping"}"#)
        house.close()
    }

    private static var descriptorCount: Int {
        get throws { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
    }

    /// In a process of its own: in this one other suites have descriptors by hundreds, which come and go meanwhile.
    @Test("and when hubs are gone, all their descriptors are")
    private func descriptors() async {
        await #expect(processExitsWith: .success) {
            // Dispatch and Foundation have some of their own, most of them from the first one on.
            try KernelFaultTests.serveOnce()
            let (before, hubs) = (try KernelFaultTests.descriptorCount, 50)
            for _ in 0..<hubs { try KernelFaultTests.serveOnce() }
            // The last ones are closed when Dispatch has let go of them.
            for _ in 0..<RawClient.patience {
                if try KernelFaultTests.descriptorCount < before + hubs { break }
                poll(nil, 0, 1)
            }
            #expect(try KernelFaultTests.descriptorCount < before + hubs)
        }
    }
}
