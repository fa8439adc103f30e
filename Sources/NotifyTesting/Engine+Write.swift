// Bytes out: what the broker has said goes to the centers that read, and waits, bounded, for those that do not.

import Notify
import NotifyBroker
import NotifyWire

extension Engine {
    func writeAll() {
        broker.pointee.publishNews()
        while let peer = broker.pointee.nextToWrite() {
            if let connection = connections[peer.pointee.slot], let session = sessions[connection] {
                write(to: session, peer)
            } else {
                broker.pointee.deafen(peer)
            }
        }
        broker.pointee.endWakeUp()
    }

    /// The center reads again.
    func resume(_ connection: Int32) {
        guard isServing, !isSilent, let session = sessions[connection], let peer = session.peer else { return }
        wakeUp { if peer.pointee.isBlocked { write(to: session, peer) } }
    }

    private func write(to session: Session, _ peer: PeerRef) {
        if session.messagesToLose > 0 { loseMessages(of: session, peer) }
        while true {
            let slices = broker.pointee.slices(for: peer)
            if slices.isEmpty {
                if broker.pointee.hasUnsaid(peer) { continue }
                break
            }
            guard session.port.isReading else {
                _ = broker.pointee.wrote(0, to: peer)
                break
            }
            var bytes: [UInt8] = []
            for slice in slices { bytes.append(contentsOf: slice.buffer) }
            let hasMore = broker.pointee.wrote(bytes.count, to: peer)
            if session.messagesLost > 0 { gatherLosses(in: &bytes, of: session) }
            session.port.receive(bytes, on: session.connection)
            if !hasMore, !broker.pointee.hasUnsaid(peer) { break }
        }
        if session.isPaused, !peer.pointee.isPaused { resuming.append(session.connection) }
        if peer.pointee.isEnding { ending.append(session.connection) }
    }

    /// Messages that are on their way to the center have to wait and find no room: the broker drops them, as it does
    /// when a reader is slow. Replies are never dropped.
    private func loseMessages(of session: Session, _ peer: PeerRef) {
        guard !peer.pointee.isBlocked, broker.pointee.slices(for: peer).contains(where: Self.isMessage) else { return }
        let room = broker.pointee.limits.clientQueueBytes
        broker.pointee.limits.clientQueueBytes = 0
        _ = broker.pointee.wrote(0, to: peer)
        broker.pointee.limits.clientQueueBytes = room
        session.messagesToLose -= 1
        session.messagesLost += 1
    }

    /// Keeps back what is said of losses, until it is said of all or another message comes.
    private func gatherLosses(in bytes: inout [UInt8], of session: Session) {
        let hasMessage = session.losses.takeOut(of: &bytes)
        guard session.messagesToLose == 0, session.losses.count >= session.messagesLost || hasMessage else { return }
        bytes = session.losses.takeAll() + bytes
        session.messagesLost = 0
    }

    private static func isMessage(_ slice: ByteSlice) -> Bool {
        slice.buffer.starts(with: #"{"op":"message""#.utf8)
    }
}
