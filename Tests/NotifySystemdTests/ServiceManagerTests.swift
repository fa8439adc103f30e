// What the service manager hears, and that nothing it does or fails to do reaches the daemon.

import Glibc
import NotifyLock
import Testing

@testable import NotifySystemd

struct ServiceManagerTests {
    private final class Warnings: Sendable {
        private let list = Locked<[String]>([])
        var all: [String] { list.withLock { $0 } }
        func add(_ text: String) { list.withLock { $0.append(text) } }
    }

    private let warnings = Warnings()

    private func manager(_ address: String?) -> ServiceManager {
        ServiceManager(
            notifySocket: address.map { Array($0.utf8) }, watchdogMicroseconds: nil,
            warn: { [warnings] in warnings.add($0) })
    }

    @Test("A whole life is heard in its order", arguments: [false, true])
    func life(abstract: Bool) {
        let receiver = Receiver(abstract: abstract)
        var manager = manager(receiver.address)
        #expect(manager.isPresent)
        manager.ready(status: "serving")
        manager.watchdog()
        manager.status("3 clients")
        manager.reloading(monotonicMicroseconds: 123_456)
        manager.ready()
        manager.stopping(status: "draining")
        #expect(
            receiver.receive() == [
                "READY=1\nSTATUS=serving", "WATCHDOG=1", "STATUS=3 clients",
                "RELOADING=1\nMONOTONIC_USEC=123456", "READY=1", "STOPPING=1\nSTATUS=draining",
            ])
        #expect(warnings.all.isEmpty)
    }

    @Test("A status cannot forge another line")
    func newlines() {
        let receiver = Receiver()
        var manager = manager(receiver.address)
        manager.status("a\nREADY=1\r\nMAINPID=1")
        #expect(receiver.receive() == ["STATUS=a READY=1\r MAINPID=1"])
    }

    @Test("A path of 107 bytes works")
    func longest() {
        let receiver = Receiver(pathLength: 107)
        var manager = manager(receiver.address)
        manager.ready()
        #expect(receiver.receive() == ["READY=1"])
        #expect(warnings.all.isEmpty)
    }

    @Test("Without a manager everything is silence")
    func absent() {
        var manager = manager(nil)
        #expect(!manager.isPresent)
        manager.ready()
        manager.stopping()
        #expect(warnings.all.isEmpty)
    }

    @Test(
        "An address that cannot be one is a single warning",
        arguments: [
            ("", "absolute path"), ("relative", "absolute path"), ("@", "absolute path"), ("12", "absolute path"),
            ("vsock:2:1234", "absolute path"),
            ("/" + String(repeating: "l", count: 107), "longer than the 107 bytes"),
            ("@" + String(repeating: "l", count: 107), "longer than the 107 bytes"),
        ])
    func badAddress(_ address: String, reason: String) {
        var manager = manager(address)
        #expect(!manager.isPresent)
        manager.ready()
        manager.watchdog()
        #expect(warnings.all.count == 1)
        #expect(warnings.all.first?.contains(reason) == true)
    }

    @Test(
        "Nobody there, no socket there: a single warning",
        arguments: ["/nonexistent/notify", "/etc/passwd", "@nobody.listens"])
    func nobody(_ address: String) {
        var manager = manager(address)
        manager.ready()
        manager.watchdog()
        manager.stopping()
        #expect(warnings.all.count == 1)
    }

    @Test("A manager that does not read blocks nothing; what it waits for arrives later, pings do not")
    func fullQueue() {
        let receiver = Receiver()
        var manager = manager(receiver.address)
        var sent = 0
        while warnings.all.isEmpty {
            manager.watchdog()
            sent += 1
        }
        manager.ready()
        manager.status("lost")
        manager.stopping()
        #expect(warnings.all.count == 1)
        #expect(warnings.all.first?.contains("does not read") == true)
        #expect(manager.isWaiting)

        #expect(receiver.receive() == Array(repeating: "WATCHDOG=1", count: sent - 1))
        manager.watchdog()
        #expect(receiver.receive() == ["READY=1", "STOPPING=1", "WATCHDOG=1"])
        #expect(!manager.isWaiting)
    }

    @Test("Of the messages that wait only the newest are kept", arguments: [0, 1])
    func waitingLimit(over: Int) {
        let receiver = Receiver()
        var manager = manager(receiver.address)
        while warnings.all.isEmpty {
            manager.watchdog()
        }
        let count = ServiceManager.waitingLimit + over
        for number in 1...count {
            manager.ready(status: "\(number)")
        }
        _ = receiver.receive()
        // The kernel's queue may be shorter than ours: read as we go.
        var heard: [String] = []
        for _ in 0..<count {
            manager.watchdog()
            heard += receiver.receive()
        }
        #expect(heard.filter { $0 != "WATCHDOG=1" } == (1 + over...count).map { "READY=1\nSTATUS=\($0)" })
    }

    @Test(
        "The environment is taken and not left to children",
        arguments: [
            (["WATCHDOG_USEC": "3000000"], 3_000_000, 0),
            (["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "self"], 3_000_000, 0),
            (["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "1"], nil, 0),
            (["WATCHDOG_USEC": "junk"], nil, 1),
            (["WATCHDOG_USEC": "0"], nil, 1),
            ([:], nil, 0),
        ] as [([String: String], UInt64?, Int)])
    func environment(_ variables: [String: String], interval: UInt64?, warned: Int) async {
        await #expect(processExitsWith: .success) { [variables, interval, warned] in
            setenv("NOTIFY_SOCKET", "@somebody", 1)
            for (name, value) in variables {
                setenv(name, value == "self" ? String(getpid()) : value, 1)
            }
            let warnings = Warnings()
            let manager = ServiceManager(warn: { warnings.add($0) })
            #expect(manager.isPresent)
            #expect(manager.watchdogMicroseconds == interval)
            #expect(warnings.all.count == warned)
            for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"] {
                #expect(getenv(name) == nil, "\(name) is still set")
            }
        }
    }
}
