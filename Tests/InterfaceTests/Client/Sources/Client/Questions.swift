// What the daemon tells about itself.

import Foundation
import Notify

func questions(_ center: NotifyCenter) async throws(NotifyError) {
    print(try await center.retained(on: "shop.cart")?.payload ?? Data())
    try await center.clearRetained(on: "shop.cart")

    let channels: NotifyCenter.Listing<NotifyCenter.ChannelInfo> = try await center.channels(matching: "shop.>")
    for channel in channels.elements {
        print(channel.channel, channel.seq, channel.subscriptions, channel.retained)
        print(channel.retainedBytes ?? 0, channel.historyMessages ?? 0, channel.historyBytes ?? 0)
        print(channel.persistent ?? false, channel.posts ?? 0, channel.bytes ?? 0, channel.deliveries ?? 0)
        print(channel.last ?? "")
    }
    print(channels.isTruncated)

    for client: NotifyCenter.ClientInfo in try await center.clients().elements {
        print(client.client, client.pid, client.uid, client.gid, client.name ?? "", client.unit ?? "")
        print(client.subscriptions)
        print(
            client.posts, client.delivered, client.dropped, client.queuedMessages, client.queuedBytes, client.connected)
        print(client.bytesIn ?? 0, client.bytesOut ?? 0, client.answerBytes ?? 0, client.last ?? "")
        print(client.blocked ?? false, client.paused ?? "")
    }
    for subscription: NotifyCenter.SubscriptionInfo in try await center.subscriptions(matching: nil).elements {
        print(subscription.client, subscription.pid, subscription.uid, subscription.sub, subscription.channel)
        print(subscription.type ?? "", subscription.subject ?? "", subscription.fromUID ?? 0, subscription.echo ?? true)
        print(subscription.policy, subscription.messages, subscription.bytes)
        print(
            subscription.queuedMessages, subscription.queuedBytes, subscription.delivered, subscription.dropped)
        print(subscription.lagMilliseconds ?? 0, subscription.coalesced ?? 0, subscription.group ?? "")
        print(subscription.minimumIntervalMilliseconds ?? 0)
    }
    show(try await center.statistics())
}

func rights(_ center: NotifyCenter) async throws(NotifyError) {
    let mine: NotifyCenter.AccessExplanation = try await center.explain(.post, on: "shop.cart")
    print(mine.allowed, mine.right, mine.channel, mine.uid, mine.groups, mine.unit ?? "", mine.rule ?? "")
    print(mine.origin ?? "", mine.right.rawValue, mine.right.description)
    var subject = NotifyCenter.AccessSubject(uid: 1001, groups: [50], unit: nil)
    (subject.uid, subject.groups, subject.unit) = (subject.uid, subject.groups + [51], subject.unit ?? "shop.service")
    let others: [NotifyCenter.AccessRight] = [.listen, .observe, .block, .admin, .init(rawValue: "later")]
    let traced: NotifyCenter.AccessExplanation = try await center.explain(tracing: "shop.>", for: subject)
    print(traced.pattern ?? ">")
    for right in others { print(try await center.explain(right, on: "shop.cart", for: subject)) }
}

func show(_ statistics: NotifyCenter.Statistics) {
    print(statistics.version, statistics.epoch, statistics.pos, statistics.uptime, statistics.json)
    print(statistics.clients, statistics.subscriptions, statistics.channels, statistics.retained)
    print(statistics.retainedBytes, statistics.posts, statistics.deliveries, statistics.dropped, statistics.refused)
    print(statistics.queuedMessages, statistics.queuedBytes, statistics.bytesIn, statistics.bytesOut)
    print(statistics.hasTotals)
    print(statistics.reloads ?? 0, statistics.failedReloads ?? 0, statistics.limits ?? [:])
    print(statistics.connections ?? 0, statistics.turnedAway ?? 0, statistics.historyBytes ?? 0)
    print(statistics.scheduled ?? 0, statistics.scheduledBytes ?? 0, statistics.deduplicationBytes ?? 0)
    print(statistics.traces ?? 0, statistics.inputBytes ?? 0)
    print(statistics.slow ?? 0, statistics.denied ?? 0, statistics.refusals ?? [:])
}
