// Closures run on other threads than the one that hands them over: what they touch has to be safe there.

import Notify

struct Cart: NotifyCenter.Message {
    static let channel: NotifyCenter.Channel = "shop.cart"
    var itemCount = 0
}

final class Model {
    var itemCount = 0
}

@MainActor final class Badge {
    var count = 0
}

func variable(_ center: NotifyCenter) -> NotifyCenter.ObservationToken {
    var count = 0
    return center.addObserver(for: Cart.self) { _ in
        // error: mutation of captured var 'count' in concurrently-executing code
        count += 1
    }
}

func object(_ center: NotifyCenter, model: Model) -> NotifyCenter.ObservationToken {
    center.addObserver(for: Cart.self) { cart in
        // error: capture of 'model' with non-Sendable type 'Model' in a '@Sendable' closure
        model.itemCount = cart.itemCount
    }
}

func mainActor(_ center: NotifyCenter, badge: Badge) -> NotifyCenter.ObservationToken {
    // addMainActorObserver is there for this.
    center.addObserver(for: Cart.self) { cart in
        // error: main actor-isolated property 'count' can not be mutated from a Sendable closure
        badge.count = cart.itemCount
    }
}

func context(_ center: NotifyCenter, model: Model) -> NotifyCenter.ObservationToken {
    // error: type 'Model' does not conform to the 'Sendable' protocol
    center.addObserver(for: Cart.self, context: model) { model, cart in
        model.itemCount = cart.itemCount
    }
}

func mainActorContext(_ center: NotifyCenter, model: Model) -> NotifyCenter.ObservationToken {
    // error: type 'Model' does not conform to the 'Sendable' protocol
    center.addMainActorObserver(for: Cart.self, context: model) { model, cart in
        model.itemCount = cart.itemCount
    }
}

func value(_ center: NotifyCenter) -> NotifyCenter.ObservationToken {
    // A value cannot go away.
    // error: requires that 'Cart' be a class type
    center.addObserver(for: Cart.self, context: Cart()) { _, _ in }
}

func anywhere(_ center: NotifyCenter) {
    // What views look at belongs to the main actor.
    // error: call to main actor-isolated instance method 'latest(of:for:)' in a synchronous nonisolated context
    _ = center.latest(for: Cart.self)
}
