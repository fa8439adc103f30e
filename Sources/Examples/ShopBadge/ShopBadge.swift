// A badge that shows how many items are in the cart, fed from another process:
//
//     ShopBadge &
//     notifyctl post shop.cart itemCount:=2 --type CartDidChange

import Glibc
import Notify
import Observation

@main @MainActor struct ShopBadge {
    static func main() async throws {
        let badge = Badge(center: .default)
        try await NotifyCenter.default.ready()
        // A program with windows would draw; this one prints, and ends when somebody ends it.
        for await count in Observations({ badge.count }) {
            print("badge: \(count)")
            fflush(nil)
        }
    }
}
