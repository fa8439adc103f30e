// Posting, in every way there is.

import Foundation
import Notify

func posts(_ center: NotifyCenter) async throws {
    try await center.post(CartDidChange(itemCount: 1))
    let receipt = try await center.post(Door.open, subject: "front", options: .retained)
    show(receipt)
    let pending = try await center.submit(CartDidChange(itemCount: 2), subject: "cart-42", options: .init(retain: true))
    show(try await pending.value)

    let payload = Data("[1]".utf8)
    try NotifyCenter.validateJSON(payload)
    try await center.post(payload: payload, to: "a.b", type: "Numbers", subject: "one", options: .onlyIf(sequence: 0))
    let raw = try await center.submit(payload: "2".utf8, to: "a.b", type: nil, subject: nil, options: .at(.now))
    print(try await raw.value == NotifyCenter.PostReceipt(sequence: 1, position: 1, matched: 0, dropped: 0))

    try center.enqueue(CartDidChange(itemCount: 3), subject: "cart-42", options: .delayed(by: .seconds(1)))
    try center.enqueue(payload: [0x31], to: "a.b", type: nil, subject: "one", options: options())

    try center.enqueue(
        CartDidChange(itemCount: 4), subject: "cart-42", coalescing: .onChannelAndSubject(within: .seconds(1)))
    let coalescing = NotifyCenter.Coalescing.onChannel(within: .milliseconds(5))
    try center.enqueue(payload: [0x32], to: "a.b", coalescing: coalescing)

    try await center.setWill(Door.closed, subject: "front", options: .retained)
    try await center.setWill(payload: "0".utf8, to: "a.b", type: nil, subject: nil, options: .init(priority: .high))
    try await center.removeWill()

    if let schedule = receipt.schedule {
        try await center.cancel(schedule: schedule)
    }
}

func options() -> NotifyCenter.PostOptions {
    var options = NotifyCenter.PostOptions()
    options.retain = true
    options.timeToLive = .seconds(1)
    options.delay = nil
    options.at = Date.now
    options.priority = NotifyCenter.Priority.allCases.contains(.low) ? .high : .normal
    options.coalesceWithin = nil
    options.deduplicationKey = "key"
    options.ifSequence = 7
    options.requireSubscribers = false
    return options
}

func show(_ receipt: NotifyCenter.PostReceipt) {
    print(receipt.sequence, receipt.position, receipt.matched, receipt.dropped)
    print(receipt.isDuplicate, receipt.schedule ?? 0, receipt.isHeld, receipt.hasReplaced)
}
