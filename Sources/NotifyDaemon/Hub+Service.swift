// The daemon's own life: readiness, housekeeping, reload, stop.

import CNotify
import Glibc
import NotifyBroker
import NotifySystemd
import NotifyTransport
import NotifyWire

extension Hub {
    func updateDeadline() {
        let next = service.nextDeadline(broker: broker.pointee.nextDeadline)
        // Who goes on at once needs no alarm.
        let turn = turns.next.flatMap { $0 > broker.pointee.now.monotonic ? $0 : nil } ?? .max
        loop.setDeadline(min(next, turn), for: id)
    }

    func keepHouse(_ now: UInt64) {
        if let ping = service.nextPing, ping <= now, let interval = service.pingInterval {
            service.manager.watchdog()
            service.nextPing = now + interval
        }
        if let again = service.listenAgain, again <= now { listen() }
        keepStore(now)
        if let deadline = service.drainDeadline, deadline <= now {
            tellOfUnread()
            end()
        }
        if service.nextHousekeeping <= now {
            service.nextHousekeeping = now + ServiceState.housekeepingInterval
            tellStatus()
            checkListeners()
            trimStore()
            if broker.pointee.takeFreedBytes() > Self.worthTrimming { cnotify_trim_memory() }
        }
    }

    /// Bytes of queues that have been read or given up before the kernel is given its pages back.
    private static let worthTrimming = 16 << 20

    private func tellStatus() {
        let status = broker.pointee.summary
        guard service.manager.isPresent, status != service.lastStatus || service.manager.isWaiting else { return }
        guard !service.isStopping else { return }
        service.lastStatus = status
        service.manager.status(status)
    }

    /// Somebody may have removed the socket file: then nobody could come any more, and nothing would show it.
    private func checkListeners() {
        guard !service.isStopping else { return }
        for (index, listener) in listeners.enumerated() {
            switch listener.origin {
            case .own(let socket) where !socket.isReachable: bindAgain(index, socket)
            case .own: break
            case .systemd(let name):
                guard let path = SocketAddress(boundTo: listener.descriptor)?.path, access(path, F_OK) != 0 else {
                    break
                }
                // systemd tells the name of the descriptor, which is the unit's, with or without its ending.
                let unit = name.hasSuffix(".socket") ? name : name + ".socket"
                log.limited(
                    .error, "the socket file \(path) is gone, nobody can connect until \(unit) is restarted",
                    every: 3600)
            }
        }
    }

    private func bindAgain(_ index: Int, _ socket: ListeningSocket) {
        do throws(ListeningSocket.Fault) {
            let fresh = try socket.rebound()
            log.warning("the socket file \(socket.address) was removed or replaced; it has been bound again")
            loop.remove(listeners[index].descriptor)
            SystemCalls.close(listeners[index].descriptor)
            listeners[index] = Listener(fresh)
            let token = Self.firstListenerToken + UInt32(index)
            if let error = loop.add(fresh.descriptor, .input, token: token, for: id) {
                log.error("cannot watch the listening socket: \(error)")
            }
        } catch {
            log.error("the socket file \(socket.address) is gone and cannot be bound again: \(error)")
        }
    }

    /// Posts are served: tells the service manager.
    func becomeReady() {
        service.lastStatus = broker.pointee.summary
        service.manager.ready(status: service.lastStatus)
        updateDeadline()
    }

    // MARK: Stop

    /// Reads what had already been sent, says `bye`, and ends when everybody has read it or five seconds have passed.
    func stop() {
        if service.isStopping { return finish() }
        service.isStopping = true
        service.manager.stopping(status: "draining")
        log.notice("stopping: \(broker.pointee.summary)")
        beginWakeUp()
        for listener in listeners { loop.remove(listener.descriptor) }
        closeListeners()
        broker.pointee.stopBlocking()
        resumePaused()
        takeTurns(all: true)
        for slot in slots { readRest(slot) }
        writeAll()
        if broker.pointee.scheduledCount > 0 {
            log.warning("\(broker.pointee.scheduledCount) scheduled posts are given up")
        }
        broker.pointee.shutDown()
        for slot in slots where sessions[slot].isOpen {
            watch(slot, sessions[slot].interest.subtracting(.input))
            ending.append(slot)
        }
        service.drainDeadline = SystemCalls.monotonicNanoseconds() + ServiceState.drainNanoseconds
    }

    /// Who has been waited for in vain.
    private func tellOfUnread() {
        let open = slots.lazy.filter { self.sessions[$0].isOpen }.compactMap { self.sessions[$0].peer }
        let who = open.prefix(Self.namedAtStop).map { [broker] peer in
            Culprit(
                client: peer.pointee.client, pid: peer.pointee.pid, uid: peer.pointee.uid,
                unit: broker.pointee.about(client: peer.pointee.client)?.unit, name: peer.pointee.name
            ).text
        }
        let more = openSessions > who.count ? ", and \(openSessions - who.count) more" : ""
        let count = openSessions == 1 ? "1 client" : "\(openSessions) clients"
        log.warning("\(count) did not read their last lines in time: \(who.joined(separator: ", "))\(more)")
    }

    /// Clients that the log names at the end.
    private static let namedAtStop = 5

    private func closeListeners() {
        for listener in listeners {
            switch listener.origin {
            case .own(let socket): socket.close()
            case .systemd: SystemCalls.close(listener.descriptor)
            }
        }
        listeners = []
    }
}
