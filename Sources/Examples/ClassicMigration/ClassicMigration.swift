// An old program on its way, one observer at a time. Two bridges join its notification center with the daemon; from then
// on old and new observers get what old and new posters post, in this process and others, each once.
//
//     echo 2 | ClassicMigration
//
// Each number on the standard input is put into the old cart.

import Foundation
import Notify
import NotifyFoundation

@main struct ClassicMigration {
    static func main() async throws {
        let center = NotifyCenter.default
        let show: @Sendable (String) -> Void = { FileHandle.standardOutput.write(Data("\($0)\n".utf8)) }
        let oldBadge = OldShop.startBadge(show)
        let newBadge = center.addObserver(for: CartDidChange.self) { show("new badge: \($0.itemCount)") }
        let bridges = [
            center.forward(OldShop.cartDidChange, from: .default, to: CartDidChange.channel),
            center.forward("shop.*", to: .default),
        ]
        try await center.ready()
        show("ready")
        while let line = readLine() {
            if let itemCount = Int(line) { OldShop.changeCart(itemCount: itemCount) }
        }
        for token in bridges + [newBadge] { token.cancel() }
        NotificationCenter.default.removeObserver(oldBadge)
        await center.shutdown()
    }
}
