// Subscriptions with wildcards, as a tree of tokens: finding those that match a channel costs its tokens, not the
// number of subscriptions. A channel keeps the answer, if it is short, until `version` moves on.

import NotifyWire

struct PatternIndex: ~Copyable {
    private let root = PatternNode(parent: nil, token: [])
    /// Moves on with every subscription that comes or goes; never 0.
    private(set) var version: UInt64 = 1
    private(set) var count = 0
    /// The matches of `wideChannel`, when they are too many to be kept with it.
    private(set) var wide = Vector<SubscriptionRef>()
    private var wideChannel: ChannelRef?

    mutating func insert(_ subscription: SubscriptionRef) {
        var node = root
        Self.forEachToken(subscription.pointee.pattern) { token, isLast in
            if isLast, token.equals(">") {
                subscription.pointee.position = UInt32(node.below.append(subscription))
                return
            }
            node = token.equals("*") ? node.starChild() : node.child([UInt8](token))
            if isLast { subscription.pointee.position = UInt32(node.here.append(subscription)) }
        }
        subscription.pointee.node = Unmanaged.passUnretained(node)
        version += 1
        count += 1
    }

    mutating func remove(_ subscription: SubscriptionRef) {
        guard let node = subscription.pointee.node?.takeUnretainedValue() else { return }
        let pattern = subscription.pointee.pattern
        let position = subscription.pointee.position
        let moved =
            pattern[pattern.count - 1] == UInt8(ascii: ">")
            ? node.below.swapRemove(at: Int(position)) : node.here.swapRemove(at: Int(position))
        moved?.pointee.position = position
        node.prune()
        version += 1
        count -= 1
    }

    /// Brings up to date which subscriptions match the channel: few are kept with it, many stand in `wide` until the
    /// next call. Otherwise the lists of all channels together could take channels × subscriptions of memory.
    mutating func refresh(_ channel: ChannelRef) {
        wide.removeAll()
        wideChannel = nil
        channel.pointee.wild.deallocate()
        channel.pointee.wildVersion = version
        channel.pointee.isWide = false
        guard count > 0 else { return }
        let root = root
        Self.visit(root, channel.pointee.name, from: 0, isFirst: true) { found in
            for index in 0..<found.count { wide.append(found[index]) }
        }
        if wide.count <= Limits.matchesKept {
            for index in 0..<wide.count { channel.pointee.wild.append(wide[index]) }
        } else {
            channel.pointee.isWide = true
            wideChannel = channel
        }
    }

    /// Whether `refresh` has nothing to do for this channel.
    @inline(__always)
    func isFresh(_ channel: ChannelRef) -> Bool {
        channel.pointee.wildVersion == version && (!channel.pointee.isWide || wideChannel == channel)
    }

    /// How many subscriptions match this channel.
    func matches(of name: ByteSlice) -> Int {
        guard count > 0 else { return 0 }
        var sum = 0
        Self.visit(root, name, from: 0, isFirst: true) { sum += $0.count }
        return sum
    }

    private static func visit(
        _ node: PatternNode, _ name: ByteSlice, from start: Int, isFirst: Bool,
        _ body: (RefVector<Subscription>) -> Void
    ) {
        // At most 32 tokens deep.
        let wildcardsApply = !(isFirst && ChannelName.isReserved(name))
        if wildcardsApply { body(node.below) }
        var end = start
        while end < name.count, name[end] != UInt8(ascii: ".") { end += 1 }
        let next = [
            node.children.isEmpty ? nil : node.children[[UInt8](ByteSlice(name.base + start, end - start))],
            wildcardsApply ? node.star : nil,
        ]
        for case let child? in next {
            if end == name.count {
                body(child.here)
            } else {
                visit(child, name, from: end + 1, isFirst: false, body)
            }
        }
    }

    private static func forEachToken(_ pattern: ByteSlice, _ body: (ByteSlice, _ isLast: Bool) -> Void) {
        var start = 0
        for index in 0...pattern.count where index == pattern.count || pattern[index] == UInt8(ascii: ".") {
            body(ByteSlice(pattern.base + start, index - start), index == pattern.count)
            start = index + 1
        }
    }
}

/// One token's place in the tree.
final class PatternNode {
    private unowned let parent: PatternNode?
    private let token: [UInt8]
    private(set) var children: [[UInt8]: PatternNode] = [:]
    private(set) var star: PatternNode?
    /// Patterns that end with this token.
    var here = RefVector<Subscription>()
    /// Patterns that end with `>` after this token.
    var below = RefVector<Subscription>()

    init(parent: PatternNode?, token: [UInt8]) {
        self.parent = parent
        self.token = token
    }

    deinit {
        here.deallocate()
        below.deallocate()
    }

    func child(_ token: [UInt8]) -> PatternNode {
        if let child = children[token] { return child }
        let child = PatternNode(parent: self, token: token)
        children[token] = child
        return child
    }

    func starChild() -> PatternNode {
        if let star { return star }
        let child = PatternNode(parent: self, token: [UInt8(ascii: "*")])
        star = child
        return child
    }

    /// Takes this node, and then its parents, out of the tree if nothing needs them.
    func prune() {
        var node = self
        while let parent = node.parent, node.here.isEmpty, node.below.isEmpty, node.children.isEmpty, node.star == nil {
            if parent.star === node { parent.star = nil } else { parent.children[node.token] = nil }
            node = parent
        }
    }
}
