// Patterns as a tree of tokens that grows where it is crowded: a node keeps up to eight patterns that go on below it, and
// gives them nodes of their own only when there are more. So a pattern costs about a node however long it is, and a
// search looks at few nodes. Every token is kept once, whatever the number of nodes it names; the branches of all nodes
// stand in one table, by parent and token.

import NotifyWire

final class PatternTree {
    private struct Branch: Hashable {
        let parent: PatternNodeRef
        let token: PatternTokenRef
    }

    /// Patterns that one node keeps for places below it.
    static let crowd = 8

    private let root = PatternNode.make(parent: nil, token: nil)
    private var tokens: [[UInt8]: PatternTokenRef] = [:]
    private var branches: [Branch: PatternNodeRef] = [:]
    /// The tokens of the channel that is being looked for; nil: a token that no node has.
    private let path = UnsafeMutablePointer<PatternTokenRef?>.allocate(capacity: ChannelName.maximumTokens)
    private(set) var nodeCount = 1

    deinit {
        for node in branches.values { PatternNode.destroy(node) }
        PatternNode.destroy(root)
        for token in tokens.values { PatternToken.destroy(token) }
        path.deallocate()
    }

    // MARK: Growing

    func insert(_ subscription: SubscriptionRef) {
        var rest = Tokens(subscription.pointee.pattern)
        insert(subscription, at: root, &rest)
    }

    /// `rest`: what the pattern says below the node.
    private func insert(_ subscription: SubscriptionRef, at node: PatternNodeRef, _ rest: inout Tokens) {
        var node = node
        while let token = rest.next() {
            if token.equals(">") { return node.pointee.place(subscription, .below, at: node) }
            if let next = existing(token, below: node) {
                node = next
            } else if node.pointee.deep.count < Self.crowd {
                return node.pointee.place(subscription, .deep, at: node)
            } else {
                spread(node)
                node = branch(token, below: node)
            }
        }
        node.pointee.place(subscription, .here, at: node)
    }

    /// The patterns that the node has kept get places below it.
    private func spread(_ node: PatternNodeRef) {
        var deep = node.pointee.deep
        node.pointee.deep = RefVector()
        defer { deep.deallocate() }
        for index in 0..<deep.count {
            var rest = Tokens(deep[index].pointee.pattern)
            for _ in 0..<node.pointee.depth { _ = rest.next() }
            guard let token = rest.next() else { preconditionFailure("a pattern that goes on has a token more") }
            insert(deep[index], at: branch(token, below: node), &rest)
        }
    }

    private func existing(_ token: ByteSlice, below node: PatternNodeRef) -> PatternNodeRef? {
        if token.equals("*") { return node.pointee.star }
        guard node.pointee.branches > 0, let token = tokens[[UInt8](token)] else { return nil }
        return branches[Branch(parent: node, token: token)]
    }

    private func branch(_ token: ByteSlice, below node: PatternNodeRef) -> PatternNodeRef {
        if let there = existing(token, below: node) { return there }
        nodeCount += 1
        guard !token.equals("*") else {
            let star = PatternNode.make(parent: node, token: nil)
            node.pointee.star = star
            return star
        }
        let bytes = [UInt8](token)
        let token = tokens[bytes] ?? PatternToken.make(bytes)
        tokens[bytes] = token
        token.pointee.uses += 1
        let branch = PatternNode.make(parent: node, token: token)
        branches[Branch(parent: node, token: token)] = branch
        node.pointee.branches += 1
        return branch
    }

    // MARK: Shrinking

    func remove(_ subscription: SubscriptionRef) {
        guard var node = subscription.pointee.node else { return }
        node.pointee.take(subscription)
        while let parent = node.pointee.parent, !node.pointee.isNeeded {
            if let token = node.pointee.token {
                branches[Branch(parent: parent, token: token)] = nil
                parent.pointee.branches -= 1
                release(token)
            } else {
                parent.pointee.star = nil
            }
            PatternNode.destroy(node)
            nodeCount -= 1
            node = parent
        }
        Self.shrink(&branches)
        Self.shrink(&tokens)
    }

    /// A dictionary keeps its room when it is emptied, also when it is filtered and nothing goes.
    private static func shrink<Key, Value>(_ table: inout [Key: Value]) {
        guard table.capacity > 1024, table.count * 8 < table.capacity else { return }
        var smaller = [Key: Value](minimumCapacity: 2 * table.count)
        for (key, value) in table { smaller[key] = value }
        table = smaller
    }

    /// Entries that its tables have room for.
    var room: Int { branches.capacity + tokens.capacity }

    private func release(_ token: PatternTokenRef) {
        token.pointee.uses -= 1
        guard token.pointee.uses == 0 else { return }
        tokens[token.pointee.bytes] = nil
        PatternToken.destroy(token)
    }

    // MARK: Searching

    /// Hands out the subscriptions that match this channel, list by list; returns at how many nodes and patterns it
    /// looked. Whoever means ill can make that very many: two nodes for each token, each with two below it, and so on.
    func search(_ name: ByteSlice, _ body: (RefVector<Subscription>) -> Void) -> Int {
        var count = 0
        var rest = Tokens(name)
        while let token = rest.next() {
            // No channel: it will be refused, and nothing matches it.
            guard count < ChannelName.maximumTokens else { return 1 }
            path[count] = tokens[[UInt8](token)]
            count += 1
        }
        return search(root, name, count, wildcardsApply: !ChannelName.isReserved(name), body)
    }

    /// At most 32 levels deep.
    private func search(
        _ node: PatternNodeRef, _ name: ByteSlice, _ count: Int, wildcardsApply: Bool,
        _ body: (RefVector<Subscription>) -> Void
    ) -> Int {
        let depth = Int(node.pointee.depth)
        if depth == count {
            body(node.pointee.here)
            return 1
        }
        var places = 1 + node.pointee.deep.count
        for index in 0..<node.pointee.deep.count {
            let subscription = node.pointee.deep[index]
            guard PatternName.matches(subscription.pointee.pattern, name) else { continue }
            body(RefVector(subscription))
        }
        if wildcardsApply {
            body(node.pointee.below)
            if let star = node.pointee.star { places += search(star, name, count, wildcardsApply: true, body) }
        }
        if node.pointee.branches > 0, let token = path[depth],
            let branch = branches[Branch(parent: node, token: token)]
        {
            places += search(branch, name, count, wildcardsApply: true, body)
        }
        return places
    }
}

/// The tokens of a channel or pattern, one after the other.
private struct Tokens {
    private let name: ByteSlice
    private var start = 0

    init(_ name: ByteSlice) { self.name = name }

    mutating func next() -> ByteSlice? {
        guard start <= name.count else { return nil }
        var end = start
        while end < name.count, name[end] != UInt8(ascii: ".") { end += 1 }
        defer { start = end + 1 }
        return ByteSlice(name.base + start, end - start)
    }
}
