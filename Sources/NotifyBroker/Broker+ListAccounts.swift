// What each account uses, and may use, in the answer to `stats`.

import NotifyWire

extension Broker {
    /// Appends the array to the object, in a reply that began at `start`: one's own, and behind it all others if one may ask.
    mutating func listAccounts(from start: Int, for peer: PeerRef) {
        let mayAsk = peer.pointee.mayAsk(.accounts)
        spend(clientCount + accounts.all.count)
        var sums = accounts.all.map { (posts: $0.pointee.postsOfGone, bytesIn: $0.pointee.bytesInOfGone) }
        for case let peer? in peers {
            sums[peer.pointee.account.pointee.index].posts += peer.pointee.posts
            sums[peer.pointee.account.pointee.index].bytesIn += peer.pointee.bytesIn
        }
        let limit = start + limits.lineBytes - Self.longestElement
        outbox.replies.append(",\"accounts\":[")
        var (isFirst, isTruncated) = (true, false)
        let own = peer.pointee.account
        let others = mayAsk ? accounts.all.filter { $0 != own } : []
        for account in [own] + others {
            guard outbox.replies.count <= limit else {
                isTruncated = true
                break
            }
            outbox.replies.append(isFirst ? "{" : ",{")
            isFirst = false
            let (posts, bytesIn) = sums[account.pointee.index]
            list(account, posts: posts, bytesIn: bytesIn)
        }
        outbox.replies.append(isTruncated ? "],\"accounts_truncated\":true" : "]")
    }

    private mutating func list(_ account: AccountRef, posts: UInt64, bytesIn: UInt64) {
        switch account.pointee.owner {
        case .uid(let uid): member("uid", UInt64(uid), first: true)
        case .unit(let unit):
            outbox.replies.append("\"unit\":\"")
            outbox.replies.append(escaped: unit)
            outbox.replies.append("\"")
        }
        for resource in Resource.allCases { member(resource.name, account.pointee.used[resource]) }
        member("history_bytes", UInt64(account.pointee.histories.bytes))
        member("posts", posts)
        member("bytes_in", bytesIn)
        member("refused", account.pointee.refused)
        member("rate_limited", account.pointee.rateLimited)
        outbox.replies.append(",\"limits\":{")
        let limits = account.pointee.limits
        for resource in Resource.allCases {
            member(resource.name, UInt64(resource.bound(limits)), first: resource == .clients)
        }
        member("history_bytes", UInt64(limits.historyBytesPerUID))
        member("connects_per_s", UInt64(limits.connectsPerSecondPerUID))
        member("messages_per_s", UInt64(limits.messagesPerSecondPerUID))
        member("bytes_per_s", UInt64(limits.bytesPerSecondPerUID))
        member("messages_per_s_per_client", UInt64(limits.messagesPerSecondPerClient))
        member("bytes_per_s_per_client", UInt64(limits.bytesPerSecondPerClient))
        outbox.replies.append("}}")
    }
}
