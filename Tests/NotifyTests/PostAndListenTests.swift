// The main job, against the real daemon.

import Foundation
import Notify
import NotifyTestSupport
import Testing

struct CartDidChange: NotifyCenter.Message, Equatable {
    static let channel: NotifyCenter.Channel = "shop.cart"
    var itemCount: Int
    var total: Decimal = 0
}

struct PostAndListenTests {
    let daemon: DaemonProcess
    let center: NotifyCenter

    init() async throws {
        daemon = try await DaemonProcess()
        center = NotifyCenter(endpoint: .socket(path: daemon.socketPath))
    }

    @Test func `a message posted after the call is not missed`() async throws {
        let messages = center.messages(of: "cart-42", for: CartDidChange.self)
        let receipt = try await center.post(CartDidChange(itemCount: 2, total: 19.98), subject: "cart-42")
        #expect(receipt == NotifyCenter.PostReceipt(sequence: 1, position: receipt.position, matched: 1, dropped: 0))
        var iterator = messages.makeAsyncIterator()
        #expect(await iterator.next() == CartDidChange(itemCount: 2, total: 19.98))
    }
}
