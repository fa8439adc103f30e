// What the daemon tells about itself.

import Foundation
import Notify

func questions(_ center: NotifyCenter) async throws(NotifyError) {
    print(try await center.retained(on: "shop.cart")?.payload ?? Data())
    try await center.clearRetained(on: "shop.cart")

    let channels: NotifyCenter.Listing<NotifyCenter.ChannelInfo> = try await center.channels(matching: "shop.>")
    for channel in channels.elements {
        print(channel.channel, channel.seq, channel.subscriptions, channel.retained)
    }
    print(channels.isTruncated)

    for client: NotifyCenter.ClientInfo in try await center.clients().elements {
        print(client.client, client.pid, client.uid, client.gid, client.name ?? "", client.subscriptions)
        print(
            client.posts, client.delivered, client.dropped, client.queuedMessages, client.queuedBytes, client.connected)
    }
    for subscription: NotifyCenter.SubscriptionInfo in try await center.subscriptions(matching: nil).elements {
        print(subscription.client, subscription.pid, subscription.uid, subscription.sub, subscription.channel)
        print(subscription.type ?? "", subscription.subject ?? "", subscription.fromUID ?? 0, subscription.echo ?? true)
        print(subscription.policy, subscription.messages, subscription.bytes)
        print(
            subscription.queuedMessages, subscription.queuedBytes, subscription.delivered, subscription.dropped)
    }
    show(try await center.statistics())
}

func show(_ statistics: NotifyCenter.Statistics) {
    print(statistics.version, statistics.epoch, statistics.pos, statistics.uptime, statistics.json)
    print(statistics.clients, statistics.subscriptions, statistics.channels, statistics.retained)
    print(statistics.retainedBytes, statistics.posts, statistics.deliveries, statistics.dropped, statistics.refused)
    print(statistics.queuedMessages, statistics.queuedBytes, statistics.bytesIn, statistics.bytesOut)
}
