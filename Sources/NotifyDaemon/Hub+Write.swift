// Bytes out: one write per peer and wake-up, of slices of the broker's logs.

import CNotify
import Glibc
import NotifyBroker
import NotifyTransport
import NotifyWire

extension Hub {
    /// Hands everything the broker has said to the kernel; what the kernel does not take waits, bounded.
    func writeAll() {
        broker.pointee.publishNews()
        while let peer = broker.pointee.nextToWrite() { write(to: peer, peer.pointee.slot) }
        broker.pointee.endWakeUp()
        if _slowPath(keeper != nil) { commit() }
    }

    func write(to peer: PeerRef, _ slot: Int) {
        let descriptor = sessions[slot].descriptor
        while true {
            let slices = broker.pointee.slices(for: peer)
            if slices.isEmpty { break }
            var offered = 0
            for (index, slice) in slices.enumerated() {
                vectors[index] = iovec(iov_base: UnsafeMutableRawPointer(mutating: slice.base), iov_len: slice.count)
                offered += slice.count
            }
            let taken = SystemCalls.send(descriptor, vectors, slices.count)
            if taken < 0, !Self.passesByItself(taken) {
                log.debug("write failed: \(SystemError(.send, Int32(-taken)))", for: peer)
                return giveUpWriting(to: peer, slot, taken == -Int(EPIPE) || taken == -Int(ECONNRESET))
            }
            let hasMore = broker.pointee.wrote(max(0, taken), to: peer)
            if !hasMore || taken < offered { break }
        }
        settle(peer, slot)
    }

    /// The peer is gone. What it sent before it went is still read, to its end; of one that is not gone nothing is.
    private func giveUpWriting(to peer: PeerRef, _ slot: Int, _ isGone: Bool) {
        broker.pointee.deafen(peer)
        if peer.pointee.inputEnded || !isGone { return close(slot) }
        settle(peer, slot)
    }

    /// The socket's buffer, or the kernel's memory, is full for the moment.
    private static func passesByItself(_ result: Int) -> Bool {
        result == -Int(EAGAIN) || result == -Int(ENOBUFS) || result == -Int(ENOMEM)
    }

    /// Watches for what the session waits for now.
    private func settle(_ peer: PeerRef, _ slot: Int) {
        let interest = sessions[slot].interest
        if peer.pointee.isBlocked, !(keeper != nil && broker.pointee.isHeld(peer)) {
            if !interest.contains(.output) { watch(slot, interest.union(.output)) }
        } else if interest.contains(.output) {
            watch(slot, interest.subtracting(.output))
        }
        if sessions[slot].isPaused != peer.pointee.isPaused {
            if sessions[slot].isPaused { resuming.append(slot) } else { pause(slot) }
        }
        if peer.pointee.isEnding { ending.append(slot) }
    }
}
