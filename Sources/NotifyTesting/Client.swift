// One program, as the daemon in memory sees it: who it is, and how its center gets there.

import Notify
import NotifyLock

final class Client: LocalDaemon {
    let daemon: InProcessDaemon
    let pid: Int32
    let uid: UInt32
    /// Until when it cannot reach the daemon, as nanoseconds.
    let awayUntil = Locked<UInt64>(0)

    init(daemon: InProcessDaemon, pid: Int32, uid: UInt32) {
        (self.daemon, self.pid, self.uid) = (daemon, pid, uid)
    }

    var now: UInt64 { daemon.clock.nanoseconds }
    var world: TestWorld { daemon.clock.world }

    func execute(_ body: @escaping @Sendable () -> Void) { daemon.work.add(body) }
    func run() { daemon.work.run() }

    func send(_ bytes: UnsafeRawBufferPointer, on connection: Int32) {
        daemon.engine.inbox.put(bytes, connection)
        daemon.work.addLater { [daemon] in daemon.engine.read(connection) }
    }

    func connect(_ port: LocalPort) throws(NotifyError) -> Int32 {
        daemon.engine.note(port)
        if max(awayUntil.withLock({ $0 }), daemon.engine.awayUntil) > now {
            throw NotifyError(.notConnected, "the daemon in memory cannot be reached: the test has cut this center off")
        }
        return try daemon.engine.connect(port, of: self)
    }

    func disconnect(_ connection: Int32) { daemon.engine.leave(connection) }
    func resume(_ connection: Int32) { daemon.engine.resume(connection) }

    func setDeadline(_ time: UInt64, for port: LocalPort) {
        // One that has passed is not due before the port is done with what it does now.
        if time <= now { return daemon.work.addLater { port.deadlineReached() } }
        daemon.timers.set(time, for: port) { port.deadlineReached() }
    }

    func retire(_ port: LocalPort) {
        daemon.timers.set(nil, for: port) {}
        daemon.engine.ports.removeAll { $0 === port }
    }
}
