// Sequences of messages, events and bytes.

import Foundation
import Notify

func messages(_ center: NotifyCenter) async throws {
    let messages: NotifyCenter.Messages<CartDidChange> = center.messages(
        of: "cart-42", for: .cartDidChange, bufferSize: 1)
    for await change in messages {
        print(change.itemCount)
    }
    print(messages.droppedCount, messages.undecodableCount)

    var iterator = center.messages(for: Door.self).makeAsyncIterator()
    print(await iterator.next() ?? .closed)
    print(await iterator.next(isolation: #isolation) ?? .open)

    let first = try await center.withMessages(of: nil, for: Door.self, bufferSize: 5) { doors in
        for await door in doors where door == .open { return door as Door? }
        return nil
    }
    print(first ?? .closed)
    let count = try await center.withMessages(of: "cart-42", for: .cartDidChange, bufferSize: 5) { changes in
        var iterator = changes.makeAsyncIterator()
        return await iterator.next()?.itemCount
    }
    print(count ?? 0)
}

func events(_ center: NotifyCenter) async throws(NotifyError) {
    for try await event in center.events(of: "cart-42", for: CartDidChange.self, replay: .last(1), buffer: .standard) {
        switch event {
        case .message(let change, let info):
            print(change.itemCount)
            show(info)
        case .gap(let gap): show(gap)
        case .undecodable(let raw, let error): print(raw, error)
        case .live, .reconnected: continue
        case .disconnected(let error): throw error
        }
    }
    var iterator = center.events(for: .cartDidChange, replay: .retained, buffer: .latestPerSubject).makeAsyncIterator()
    _ = try await iterator.next()
    _ = try await iterator.next(isolation: #isolation)
}

func raw(_ center: NotifyCenter) async throws(NotifyError) {
    var options = NotifyCenter.SubscriptionOptions()
    options.type = "CartDidChange"
    options.subject = "cart-42"
    options.fromUID = 0
    options.echo = false
    options.replay = .since(.now)
    options.buffer = .bufferingOldest(7)
    options.minimumInterval = .seconds(1)
    options.group = "workers"
    let messages = center.rawMessages(matching: "shop.>", options: options)
    for await message in messages {
        try show(message)
    }
    print(messages.droppedCount)
    var iterator = messages.makeAsyncIterator()
    _ = await iterator.next()
    _ = await iterator.next(isolation: #isolation)

    let after = NotifyCenter.SubscriptionOptions(replay: .after(7, epoch: "e"), buffer: .failing(3))
    var events = center.rawEvents(matching: ["a.*", "b.*"], options: after).makeAsyncIterator()
    while let event = try await events.next() {
        switch event {
        case .message(let message): try show(message)
        case .gap(let gap): show(gap)
        case .live, .reconnected: continue
        case .disconnected(let error): throw error
        }
        print(events.isNextReady)
    }
    _ = try await events.next(isolation: #isolation)

    let none = NotifyCenter.Replay.none
    let buffers: Set<NotifyCenter.BufferPolicy> = [
        .bufferingNewest(NotifyCenter.BufferPolicy.defaultCount), .blocking(2),
    ]
    print(none.hashValue, buffers.map(\.messages))
}

func show(_ message: NotifyCenter.RawMessage) throws(NotifyError) {
    print(message.channel, message.type ?? "", message.subject ?? "none", message.payload, message.line)
    print(message.description, message.debugDescription, message.withPayload(\.count))
    print(try message.decode(CartDidChange.self).itemCount, try message.decode() as Renamed)
    show(message.info)
}

func show(_ info: NotifyCenter.MessageInfo) {
    print(info.sequence, info.position, info.time, info.timestamp, info.subject ?? "none")
    let sender: NotifyCenter.Sender = info.sender
    print(sender.client, sender.pid, sender.uid)
    print(info.isReplay, info.isRetained, info.priority == .normal, info.epoch)
}

func show(_ gap: NotifyCenter.Gap) {
    print(gap.channel ?? "any", gap.from ?? 0, gap.to ?? 0, gap.count ?? 0, gap.reason.description)
    let reasons: [NotifyCenter.Gap.Reason] = [.overflow, .coalesced, .expired, .history, .epoch, .disconnected]
    print(
        reasons.map(\.rawValue),
        NotifyCenter.Gap(channel: "a", from: 1, to: 2, count: 2, reason: .init(rawValue: "new")))
}
