// Closures that are called, on the main actor and off it.

import Notify

actor Store {
    private(set) var count = 0
    func apply(_ change: CartDidChange) { count = change.itemCount }
}

@MainActor final class Badge {
    private var tokens: Set<NotifyCenter.ObservationToken> = []
    private(set) var count = 0

    func observe(_ center: NotifyCenter, _ store: Store) {
        center.addObserver(for: CartDidChange.self) { change in
            await store.apply(change)
        }.store(in: &tokens)
        center.addObserver(of: "cart-42", for: .cartDidChange, bufferSize: 10) { change in
            await store.apply(change)
        }.store(in: &tokens)
        center.addObserver(of: "cart-42", for: CartDidChange.self, context: store, bufferSize: 10) { store, change in
            await store.apply(change)
        }.store(in: &tokens)

        let direct = center.addMainActorObserver(of: "cart-42", for: CartDidChange.self, bufferSize: 10) {
            [weak self] in
            self?.count = $0.itemCount
        }
        let contextual = center.addMainActorObserver(for: CartDidChange.self, context: self) { badge, change in
            badge.count = change.itemCount
        }
        let named = center.addMainActorObserver(of: "cart-42", for: .cartDidChange, bufferSize: 10) { change in
            await store.apply(change)
        }
        center.addObserver(of: nil, for: .cartDidChange, context: store, bufferSize: 10) { store, change in
            await store.apply(change)
        }.store(in: &tokens)
        center.addMainActorObserver(of: nil, for: .cartDidChange, context: self, bufferSize: 10) { badge, change in
            badge.count = change.itemCount
        }.store(in: &tokens)
        var list = [direct, named]
        contextual.store(in: &list)
        print(direct == contextual, direct.hashValue)
        for token in list {
            token.cancel()
        }
    }
}
