// `"echo":false` for messages of which only the body is left: those that are replayed, and those that go from a member of a
// group to another. Their `from` says whose they are, as long as the number means a client of this life of the daemon.

import NotifyWire

extension Broker {
    /// The client that posted the message; nil: nobody of this life.
    func poster(_ labels: MessageLine.Labels) -> UInt64? {
        if labels.position <= volatile.position { return nil }
        return messagesOfEarlierLife.contains(labels.position) ? nil : labels.client
    }

    /// Whether the message with this body is of the peer's own connection.
    mutating func isOwn(_ body: ByteSlice, of peer: PeerRef) -> Bool {
        scratch.clear(keeping: 64 << 10)
        let labels = MessageLine.labels(of: body, decodingTo: &scratch)
        return poster(labels) == peer.pointee.client
    }
}
