// The conditions of a batch: all are checked before any of its posts is accepted, and each post sees the effect of those
// before it.

import NotifyWire

extension Broker {
    /// What is known about a post of a batch before it is made.
    struct Verdicts {
        /// Posts that are not made again, and what they are answered: by their number.
        var answers: [Int: Answer] = [:]
        /// Doubles of an earlier post of the same batch.
        var doubles: [Int: Int] = [:]
        /// What will be remembered.
        var keys: [Int: DedupTable.Key] = [:]

        func isMade(_ number: Int) -> Bool { answers[number] == nil && doubles[number] == nil }
    }

    /// The number of the post that is refused stands in the refusal.
    mutating func checkConditions(of posts: [Request], from peer: PeerRef) -> Result<Verdicts, Refusal> {
        var verdicts = Verdicts()
        guard posts.contains(where: { !$0.present.isDisjoint(with: .conditions) }) else { return .success(verdicts) }
        var added: [[UInt8]: UInt64] = [:]
        var first: [DedupTable.Key: Int] = [:]
        for (number, post) in posts.enumerated() {
            let refusal = withUnsafePointer(to: post) { request -> Refusal? in
                if !post.terms.dedup.isEmpty {
                    let key = DedupTable.Key(request, uid: peer.pointee.uid)
                    verdicts.answers[number] = firstAnswer(to: key)
                    verdicts.doubles[number] = first[key]
                    guard verdicts.isMade(number) else { return nil }
                    first[key] = number
                    verdicts.keys[number] = key
                }
                let channel = [UInt8](post.channel)
                defer { added[channel, default: 0] += 1 }
                return checkConditions(request, peer, after: added[channel, default: 0])
            }
            if let refusal { return .failure(Self.refusal(refusal, ofPost: number)) }
        }
        if let refusal = checkRoom(
            for: Array(verdicts.keys.values), on: peer.pointee.account)
        {
            return .failure(refusal)
        }
        return .success(verdicts)
    }

    static func refusal(_ refusal: Refusal, ofPost number: Int) -> Refusal {
        var refusal = refusal
        refusal.message = "posts[\(number)]: \(refusal.message)"
        refusal.post = number
        return refusal
    }
}
