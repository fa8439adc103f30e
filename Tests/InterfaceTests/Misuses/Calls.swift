// Errors and waiting are seen where they happen.

import Notify

struct Cart: NotifyCenter.Message {
    static let channel: NotifyCenter.Channel = "shop.cart"
    var itemCount = 0
}

func posts(_ center: NotifyCenter) async throws {
    // error: expression is 'async' but is not marked with 'await'
    try center.post(Cart())
    // error: call can throw but is not marked with 'try'
    await center.post(Cart())
    // error: call can throw but is not marked with 'try'
    center.enqueue(Cart())
}

func unkept(_ center: NotifyCenter) {
    // Nothing would be observed: the token is gone with the line.
    // warning: result of call to 'addObserver(of:for:bufferSize:using:)' is unused
    center.addObserver(for: Cart.self) { _ in }
}

func unhandled(_ center: NotifyCenter) async {
    // What ends a subscription is thrown.
    // error: errors thrown from here are not handled
    for try await _ in center.events(for: Cart.self) {}
}

func neverThrown(_ center: NotifyCenter) async {
    // Of messages nothing is thrown: no try is needed.
    for await _ in center.messages(for: Cart.self) {}
}

func typed(_ center: NotifyCenter) async throws(CancellationError) {
    // error: thrown expression type 'NotifyError' cannot be converted to error type 'CancellationError'
    try await center.ready()
}

func misspelt(_ center: NotifyCenter) -> NotifyCenter.ObservationToken {
    // With the parameter's type the compiler says what is wrong in a closure.
    center.addObserver(for: Cart.self) { (cart: Cart) in
        // error: value of type 'Cart' has no member 'itemcount'
        print(cart.itemcount)
    }
}
