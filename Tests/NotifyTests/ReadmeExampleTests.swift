// The README's ten lines of Swift, compiled and run.

import Notify
import NotifyTestSupport
import Testing

struct ReadmeExampleTests {
    // README begin
    struct CartDidChange: NotifyCenter.Message {
        static let channel: NotifyCenter.Channel = "shop.cart"
        var itemCount: Int
    }

    func example(center: NotifyCenter) async throws {
        let changes = center.messages(of: "cart-42", for: CartDidChange.self)
        let receipt = try await center.post(CartDidChange(itemCount: 2), subject: "cart-42")
        for await change in changes {
            print("\(change.itemCount) items, heard by \(receipt.matched)")
            break
        }
    }
    // README end

    @Test(.timeLimit(.minutes(1))) func `the example does what it says`() async throws {
        let daemon = try await DaemonProcess()
        try await example(center: NotifyCenter(endpoint: .socket(path: daemon.socketPath)))
    }
}
