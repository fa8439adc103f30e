// Subscriptions with wildcards: finding those that match a channel costs its tokens, not the number of subscriptions. A
// channel keeps the answer, if it is short, until `version` moves on. Those that may not listen to the channel are no
// match: so nothing is asked when a message is delivered.

import NotifyWire

struct PatternIndex: ~Copyable {
    private let tree = PatternTree()
    /// Moves on with every subscription that comes or goes; never 0.
    private(set) var version: UInt64 = 1
    private(set) var count = 0
    /// The matches of `wideChannel`, when they are too many to be kept with it.
    private(set) var wide = Vector<SubscriptionRef>()
    private var wideChannel: ChannelRef?
    /// Counts the searches: whoever has answered for one of them need not think again.
    private var searches: UInt64 = 0

    var nodeCount: Int { tree.nodeCount }
    /// Entries that its tables have room for.
    var room: Int { tree.room }

    mutating func insert(_ subscription: SubscriptionRef) {
        tree.insert(subscription)
        version += 1
        count += 1
    }

    mutating func remove(_ subscription: SubscriptionRef) {
        tree.remove(subscription)
        version += 1
        count -= 1
    }

    /// A number for a search that is not one for patterns.
    mutating func beginSearch() -> UInt64 {
        searches += 1
        return searches
    }

    /// Others may get a channel than did before.
    mutating func forgetMatches() { version += 1 }

    /// Brings up to date which subscriptions match the channel: few are kept with it, many stand in `wide` until the
    /// next call. Otherwise the lists of all channels together could take channels × subscriptions of memory. Returns
    /// how many places it looked at.
    mutating func refresh(_ channel: ChannelRef) -> Int {
        wide.removeAll()
        wideChannel = nil
        let traffic = channel.pointee.useTraffic()
        traffic.pointee.wild.deallocate()
        traffic.pointee.wildVersion = version
        channel.pointee.isWide = false
        guard count > 0 else { return 0 }
        let name = channel.pointee.name
        searches += 1
        let search = searches
        let places = tree.search(name) { found in
            for index in 0..<found.count where found[index].pointee.mayGet(name, search: search) {
                wide.append(found[index])
            }
        }
        if wide.count <= Limits.matchesKept {
            for index in 0..<wide.count { traffic.pointee.wild.append(wide[index]) }
        } else {
            channel.pointee.isWide = true
            wideChannel = channel
        }
        return places
    }

    /// Whether a subscription that `isWanted` matches this channel, and how many places were looked at.
    mutating func contains(
        _ name: ByteSlice, where isWanted: (SubscriptionRef) -> Bool
    ) -> (isThere: Bool, places: Int) {
        guard count > 0 else { return (false, 0) }
        var isThere = false
        var looks = 0
        searches += 1
        let search = searches
        let places = tree.search(name) { found in
            for index in 0..<found.count where !isThere {
                looks += 1
                isThere = found[index].pointee.mayGet(name, search: search) && isWanted(found[index])
            }
        }
        return (isThere, places + looks)
    }

    /// Every subscription that matches this channel, also those that may not listen to it; returns how many places were
    /// looked at.
    func forEach(matching name: ByteSlice, _ body: (SubscriptionRef) -> Void) -> Int {
        guard count > 0 else { return 0 }
        return tree.search(name) { found in
            for index in 0..<found.count { body(found[index]) }
        }
    }

    /// Whether `refresh` has nothing to do for this channel.
    @inline(__always)
    func isFresh(_ channel: ChannelRef) -> Bool {
        channel.pointee.wildVersion == version && (!channel.pointee.isWide || wideChannel == channel)
    }

    /// How many subscriptions match this channel, and how many places were looked at.
    mutating func matches(of name: ByteSlice) -> (count: Int, places: Int) {
        guard count > 0 else { return (0, 0) }
        searches += 1
        let search = searches
        var sum = 0
        let places = tree.search(name) { found in
            for index in 0..<found.count where found[index].pointee.mayGet(name, search: search) { sum += 1 }
        }
        return (sum, places)
    }

    /// The same for a channel that is there, and may know it already.
    mutating func matches(of channel: ChannelRef) -> (count: Int, places: Int) {
        if isFresh(channel) { return (channel.pointee.isWide ? wide.count : channel.pointee.wild.count, 0) }
        return matches(of: channel.pointee.name)
    }
}
