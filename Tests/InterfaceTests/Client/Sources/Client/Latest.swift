// A value that views observe, and a center that is a service.

import Notify
import Observation

@MainActor func latest(_ center: NotifyCenter) async throws {
    let cart = center.latest(of: "cart-42", for: .cartDidChange)
    let door: NotifyCenter.Latest<Door> = center.latest(of: nil, for: Door.self)
    for await count in Observations({ cart.value?.itemCount }) {
        print(count ?? 0, cart.isStale, door.info?.sequence ?? 0)
    }
    switch door.status {
    case .waiting, .current: print("good")
    case .unconfirmed: print("as far as we know")
    case .disconnected(let error): print(error)
    case .ended(let error): print(error?.message ?? "shut down")
    }
    try await center.run(drainingFor: .seconds(1))
}
