// As a user of the library would write them: a program's parts, each with a center of its own, and what they do to each
// other.

import Notify
import NotifyTesting
import Testing

/// Part of a program: shows how many items are in the cart.
@MainActor final class Badge {
    private(set) var text = ""
    private var tokens: [NotifyCenter.ObservationToken] = []

    init(center: NotifyCenter) {
        center.addMainActorObserver(for: CartDidChange.self, context: self) { badge, change in
            badge.text = "\(change.itemCount)"
        }.store(in: &tokens)
    }
}

/// Part of another program: orders more when the cart is empty.
final class Buyer: Sendable {
    let orders = Count()

    func listen(on center: NotifyCenter) -> NotifyCenter.ObservationToken {
        center.addObserver(for: CartDidChange.self, context: self) { buyer, change in
            if change.itemCount == 0 { buyer.orders.up() }
        }
    }
}

@Suite(.timeLimit(.minutes(1)))
struct ExampleTests {
    let daemon = InProcessDaemon()

    @Test @MainActor func `a badge shows what another program posts`() async throws {
        let badge = Badge(center: daemon.makeCenter())
        try await daemon.makeCenter().post(CartDidChange(itemCount: 2))
        await daemon.settle()
        #expect(badge.text == "2")
    }

    @Test func `an observer was called`() async throws {
        let center = NotifyCenter.inProcess()
        try await confirmation { called in
            let token = center.addObserver(for: CartDidChange.self) { change in
                #expect(change.itemCount == 2)
                called()
            }
            try await center.post(CartDidChange(itemCount: 2))
            await center.settle()
            token.cancel()
        }
    }

    @Test func `an observer was not called`() async throws {
        let buyer = Buyer()
        let center = daemon.makeCenter()
        let token = buyer.listen(on: center)
        try await center.post(CartDidChange(itemCount: 1))
        await daemon.settle()
        #expect(buyer.orders.value == 0)
        try await center.post(CartDidChange(itemCount: 0))
        await daemon.settle()
        #expect(buyer.orders.value == 1)
        token.cancel()
    }

    @Test func `an observer that was removed is not called any more`() async throws {
        let buyer = Buyer()
        let center = daemon.makeCenter()
        let token = buyer.listen(on: center)
        token.cancel()
        try await center.post(CartDidChange(itemCount: 0))
        await daemon.settle()
        #expect(buyer.orders.value == 0)
        #expect(try await center.statistics().subscriptions == 0)
    }

    @Test @MainActor func `a part that is let go leaves nothing behind`() async throws {
        let center = daemon.makeCenter()
        var badge: Badge? = Badge(center: center)
        weak let released = badge
        await daemon.settle()
        #expect(badge != nil)
        badge = nil
        await daemon.settle()
        #expect(released == nil)
        #expect(try await center.statistics().subscriptions == 0)
    }

    @Test func `an observer ends with its context, though its token is kept`() async throws {
        let center = daemon.makeCenter()
        let orders: Count
        let token: NotifyCenter.ObservationToken
        do {
            let buyer = Buyer()
            orders = buyer.orders
            token = buyer.listen(on: center)
        }
        try await center.post(CartDidChange(itemCount: 0))
        await daemon.settle()
        #expect(orders.value == 0)
        #expect(try await center.statistics().subscriptions == 0)
        withExtendedLifetime(token) {}
    }

    @Test func `what only a handler holds is gone after the token is`() async throws {
        final class Model: Sendable {}
        let center = daemon.makeCenter()
        var model: Model? = Model()
        weak let released = model
        var token: NotifyCenter.ObservationToken? = center.addObserver(for: CartDidChange.self) { [model] _ in
            withExtendedLifetime(model) {}
        }
        model = nil
        await daemon.settle()
        #expect(released != nil)
        withExtendedLifetime(token) {}
        token = nil
        await daemon.settle()
        #expect(released == nil)
    }

    @Test func `a reminder comes when its time has come`() async throws {
        let center = daemon.makeCenter()
        let reminders = center.record(Reminder.self)
        try await center.post(Reminder(), options: .delayed(by: .seconds(60)))
        await daemon.clock.advance(by: .seconds(59.999))
        #expect(reminders.messages.isEmpty)
        await daemon.clock.advance(by: .milliseconds(1))
        #expect(reminders.messages == [Reminder()])
    }

    @Test func `a part that answers is heard before the test goes on`() async throws {
        let (clerk, customer) = (daemon.makeCenter(), daemon.makeCenter())
        let token = clerk.addObserver(for: Reminder.self) { _ in
            _ = try? await clerk.post(CartDidChange(itemCount: 1))
        }
        let changes = customer.record(CartDidChange.self)
        try customer.enqueue(Reminder())
        await daemon.settle()
        #expect(changes.messages == [CartDidChange(itemCount: 1)])
        token.cancel()
    }
}
