// What a test does to the daemon.

import Notify
import NotifyBroker

extension Engine {
    /// The connection of one client breaks off, or all do.
    func cut(off client: Client?) {
        let cut = sessions.values.filter { client == nil || $0.client === client }
        wakeUp { for session in cut.sorted(by: { $0.connection < $1.connection }) { close(session) } }
    }

    /// Centers that are not connected try again.
    func retryAll() {
        for port in ports { port.retry() }
    }

    func stop() {
        guard isServing else { return }
        goOn()
        wakeUp {
            broker.pointee.stopBlocking()
            resumePaused()
            writeAll()
            broker.pointee.shutDown()
            ending += sessions.keys.sorted()
        }
        // Those that do not read.
        wakeUp { for session in sessions.values { close(session) } }
        isServing = false
        tellDeadline()
    }

    func pause() {
        isSilent = true
        tellDeadline()
    }

    func goOn() {
        guard isSilent else { return }
        isSilent = false
        for session in sessions.values.sorted(by: { $0.connection < $1.connection }) {
            if session.peer == nil { wakeUp { welcome(session) } }
            read(session.connection)
            resume(session.connection)
            if session.hasLeft { leave(session.connection) }
        }
        tick()
    }
}
