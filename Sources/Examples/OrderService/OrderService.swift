// A service that runs for weeks and is stopped without losing what it has in hand:
//
//     OrderService &
//     notifyctl post shop.order.placed number:=1
//     kill %1
//
// It tells that it is there, and leaves a will for the case that it cannot tell that it is gone.

import Glibc
import Notify

@main struct OrderService {
    static func main() async throws {
        let center = NotifyCenter(configuration: .init(name: "packer"))
        let orders = center.messages(for: OrderPlaced.self)
        try await center.setWill(ServicePresence(isThere: false), options: .retained)
        try await center.post(ServicePresence(isThere: true), options: .retained)

        let work = Task {
            for await order in orders {
                // In a task of its own, because an order in hand is finished also when the work is cancelled.
                await Task { await pack(order, center) }.value
            }
        }
        show("ready")
        await Signals.first(of: SIGTERM, SIGINT)
        show("stopping")
        // No further order is begun, and the one in hand is finished, its message included. Then others are told, and the
        // connection ends in good order.
        work.cancel()
        await work.value
        try await center.post(ServicePresence(isThere: false), options: .retained)
        await center.shutdown()
        show("stopped")
    }

    static func pack(_ order: OrderPlaced, _ center: NotifyCenter) async {
        show("packing \(order.number)")
        try? await Task.sleep(for: .milliseconds(300))
        do {
            try await center.post(OrderPacked(number: order.number))
            show("packed \(order.number)")
        } catch {
            show("nobody could be told that \(order.number) is packed: \(error)")
        }
    }

    static func show(_ text: String) {
        print(text)
        fflush(nil)
    }
}
