// The channels, by their names.

import NotifyWire

extension Broker {
    mutating func listChannels(_ request: Request, for peer: PeerRef) {
        guard hasGoodMatch(request, peer) else { return }
        let profile = peer.pointee.profile
        spend(channels.count * (profile.pointee.mayListenAnywhere ? 1 : profile.pointee.cost))
        var selection = Selection<ChannelRef>(listedAtOnce) { Self.precedes($0.pointee.name, $1.pointee.name) }
        channels.forEach { channel in
            let name = channel.pointee.name
            if request.present.contains(.after), !Self.precedes(request.after, name) { return true }
            if Self.isMatch(request, name), profile.pointee.maySee(name) { selection.offer(channel) }
            return true
        }
        let found = selection.take()
        let rest = selection.isCut ? found.last?.pointee.name.text : nil
        list("channels", request, for: peer, found, rest: rest, place: { $0.pointee.name.text }) { broker, channel in
            broker.write(channel)
        }
    }

    private static func precedes(_ one: ByteSlice, _ other: ByteSlice) -> Bool {
        one.buffer.lexicographicallyPrecedes(other.buffer)
    }

    private mutating func write(_ channel: ChannelRef) {
        member("channel", text: channel.pointee.name, first: true)
        member("seq", channel.pointee.sequence)
        let wild = patterns.matches(of: channel)
        spend(1 + Limits.workPerPlace * wild.places)
        member("subscriptions", channel.pointee.exact.count + wild.count)
        member("retained", channel.pointee.retained != nil)
        member("retained_bytes", channel.pointee.retained?.pointee.body.count ?? 0)
        member("history_messages", channel.pointee.pastCount)
        member("history_bytes", channel.pointee.history?.pointee.bytes ?? 0)
        member("persistent", channel.pointee.isPersistent)
        member("posts", channel.pointee.sequence - channel.pointee.base)
        member("bytes", channel.pointee.bytes)
        member("deliveries", channel.pointee.deliveries)
        if channel.pointee.lastPosted > 0 { member("last", monotonic: channel.pointee.lastPosted) }
    }
}
