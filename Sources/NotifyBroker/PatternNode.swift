// One place in the tree of patterns, and the token that it stands for.

import NotifyWire

typealias PatternNodeRef = UnsafeMutablePointer<PatternNode>
typealias PatternTokenRef = UnsafeMutablePointer<PatternToken>

struct PatternNode {
    /// In which list of its node a subscription stands.
    enum List: UInt8 { case here, below, deep }

    let parent: PatternNodeRef?
    /// nil: `*`, or the root.
    let token: PatternTokenRef?
    var star: PatternNodeRef?
    /// How many nodes with a token of their own hang on this one.
    var branches: UInt32 = 0
    /// How many tokens lead here.
    let depth: UInt32
    /// Patterns that end here.
    private(set) var here = RefVector<Subscription>()
    /// Patterns that end with a `>` after this token.
    private(set) var below = RefVector<Subscription>()
    /// Patterns that go on, and have no place of their own below.
    var deep = RefVector<Subscription>()

    var isNeeded: Bool { branches > 0 || star != nil || !here.isEmpty || !below.isEmpty || !deep.isEmpty }

    mutating func place(_ subscription: SubscriptionRef, _ list: List, at node: PatternNodeRef) {
        let position =
            switch list {
            case .here: here.append(subscription)
            case .below: below.append(subscription)
            case .deep: deep.append(subscription)
            }
        subscription.pointee.node = node
        subscription.pointee.list = list
        subscription.pointee.position = UInt32(position)
    }

    mutating func take(_ subscription: SubscriptionRef) {
        let position = subscription.pointee.position
        let moved =
            switch subscription.pointee.list {
            case .here: here.swapRemove(at: Int(position))
            case .below: below.swapRemove(at: Int(position))
            case .deep: deep.swapRemove(at: Int(position))
            }
        moved?.pointee.position = position
    }

    static func make(parent: PatternNodeRef?, token: PatternTokenRef?) -> PatternNodeRef {
        let node = PatternNodeRef.allocate(capacity: 1)
        node.initialize(
            to: PatternNode(parent: parent, token: token, depth: parent.map { $0.pointee.depth + 1 } ?? 0))
        return node
    }

    /// Frees the node and the stars that hang on it; the tree's table holds those with a token.
    static func destroy(_ node: PatternNodeRef) {
        var next: PatternNodeRef? = node
        while let node = next {
            next = node.pointee.star
            node.pointee.here.deallocate()
            node.pointee.below.deallocate()
            node.pointee.deep.deallocate()
            node.deinitialize(count: 1)
            node.deallocate()
        }
    }
}

struct PatternToken {
    let bytes: [UInt8]
    /// How many nodes it names.
    var uses = 0

    static func make(_ bytes: [UInt8]) -> PatternTokenRef {
        let token = PatternTokenRef.allocate(capacity: 1)
        token.initialize(to: PatternToken(bytes: bytes))
        return token
    }

    static func destroy(_ token: PatternTokenRef) {
        token.deinitialize(count: 1)
        token.deallocate()
    }
}
