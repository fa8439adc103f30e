// New connections, also when there are too many of them.

import Glibc
import NotifyBroker
import NotifySystemd
package import NotifyTransport
import NotifyWire

/// A socket that clients connect to.
package struct Listener: Sendable {
    package enum Origin: Sendable {
        /// Bound by us: ours to remove.
        case own(ListeningSocket)
        /// Passed by systemd, under this name: never removed.
        case systemd(name: String)
    }

    package let descriptor: Int32
    package let origin: Origin

    var isOwn: Bool {
        if case .own = origin { true } else { false }
    }

    package init(_ socket: ListeningSocket) {
        descriptor = socket.descriptor
        origin = .own(socket)
    }

    package init(descriptor: Int32, name: String) {
        self.descriptor = descriptor
        origin = .systemd(name: name)
    }
}

extension Hub {
    /// Connections taken at a time, so that a crowd at the door does not keep those inside waiting.
    private static let acceptsPerEvent = 64

    func accept(from index: Int) {
        guard index < listeners.count else { return }
        for _ in 0..<Self.acceptsPerEvent {
            let result = SystemCalls.accept(listeners[index].descriptor)
            if result >= 0 {
                welcome(Int32(result))
                continue
            }
            switch Int32(-result) {
            case EAGAIN, ECONNABORTED: return
            case EMFILE, ENFILE:
                if !refuseForWantOfDescriptors(at: index) { return suspendListening() }
            default:
                log.error("cannot accept a connection: \(SystemError(.accept, Int32(-result)))")
                return suspendListening()
            }
        }
    }

    private func welcome(_ descriptor: Int32) {
        switch identify(descriptor) {
        case .failure(let error):
            log.error("cannot tell who connected: \(error)")
            SystemCalls.close(descriptor)
        case .success(let who):
            switch broker.pointee.connect(pid: who.pid, who.identity) {
            case .success(let peer):
                log.debug("client connected", for: peer)
                add(descriptor, peer)
            case .failure(let refusal):
                log.refused(who.pid, who.identity, refusal)
                turnAway(descriptor, refusal)
            }
        }
    }

    /// Who is at the other end. Somebody of whom the kernel does not tell everything is nobody.
    private func identify(_ descriptor: Int32) -> Result<(pid: Int32, identity: Identity), SystemError> {
        SystemCalls.credentials(of: descriptor).flatMap { who in
            SystemCalls.groups(of: descriptor).map { groups in
                let unit = configuration.asksForUnits ? PeerUnit.name(of: descriptor) : nil
                return (who.pid, Identity(uid: who.uid, gid: who.gid, groups: groups, unit: unit))
            }
        }
    }

    /// Says why, as far as the socket takes it, and closes.
    private func turnAway(_ descriptor: Int32, _ refusal: Refusal) {
        broker.pointee.countTurnedAway()
        var line = ByteLog(capacity: 256)
        ControlLine.appendError(to: &line, id: .empty, refusal)
        ControlLine.appendBye(to: &line, reason: refusal.code.rawValue)
        _ = SystemCalls.send(descriptor, bytes: line.base, line.count)
        SystemCalls.close(descriptor)
    }

    // MARK: All descriptors in use

    /// Takes the waiting connection with a descriptor held in reserve, tells it why it cannot stay, and lets it go.
    /// Without that it would stay at the door and accept(2) would report it over and over.
    private func refuseForWantOfDescriptors(at index: Int) -> Bool {
        log.limited(.warning, "all file descriptors are in use (LimitNOFILE=): connections are refused")
        guard reserve.giveUpOne() else { return false }
        defer { reserve.fill() }
        let result = SystemCalls.accept(listeners[index].descriptor)
        guard result >= 0 else { return result == -Int(EAGAIN) }
        turnAway(Int32(result), Refusal(.quotaExceeded, "the daemon has no file descriptor left for this connection"))
        return true
    }

    /// Looks away from the door until the next deadline.
    private func suspendListening() {
        service.listenAgain = SystemCalls.monotonicNanoseconds() + 100_000_000
        for listener in listeners { loop.remove(listener.descriptor) }
        reserve.fill()
    }

    func listen() {
        service.listenAgain = nil
        reserve.fill()
        for (index, listener) in listeners.enumerated() {
            let token = Self.firstListenerToken + UInt32(index)
            if let error = loop.add(listener.descriptor, .input, token: token, for: id) {
                log.error("cannot watch the listening socket: \(error)")
            }
        }
    }
}
