// What tests of a client use.

import Foundation
import Notify
import NotifyTesting

func wireForms() throws(NotifyError) {
    let form = try WireForm(of: CartDidChange(itemCount: 2))
    print(form.channel, form.type, form.payload, form.text)
    let other = WireForm(channel: "shop.cart", type: "CartDidChange", payload: #"{"itemCount":2}"#)
    print(form == other, try other.message(as: Renamed.self), try other.message() as Renamed)
}

func daemonInMemory() async throws {
    let daemon = InProcessDaemon(clock: ManualClock(date: Date(timeIntervalSince1970: 0)))
    let center = daemon.makeCenter(configuration: .init(name: "shop"), pid: 7, uid: 33)
    let changes = center.record(CartDidChange.self, of: "cart-42", replay: .last(1), buffer: .failing(10))
    try await center.post(CartDidChange(itemCount: 2), subject: "cart-42")
    await daemon.settle()
    print(changes.events.count, changes.messages, changes.gaps, changes.failure as Any)
    let listening = Task(executorPreference: daemon.executor) {
        for await change in center.messages(for: CartDidChange.self) { print(change.itemCount) }
    }
    listening.cancel()
    let one = NotifyCenter.inProcess(clock: daemon.clock, configuration: .init())
    await one.settle()
    print(one.inProcessDaemon === daemon)
}

func faults(_ daemon: InProcessDaemon, _ center: NotifyCenter) async {
    await daemon.simulateDisconnect(of: center, for: .seconds(1))
    await daemon.simulateOverflow(of: center, losing: 2)
    await daemon.simulateRestart()
    await center.simulateDisconnect(for: .seconds(1))
    await center.simulateOverflow(losing: 2)
    await daemon.refuseNextPost(with: .rateLimited, message: "later")
    await daemon.refuseNextSubscription(with: .denied, message: "never")
    await daemon.pause()
    await daemon.resume()
    await daemon.stop()
    await daemon.start()
}

func time(_ clock: ManualClock) async throws {
    let later = ManualClock.Instant(offset: .seconds(1)).advanced(by: .seconds(1))
    print(clock.now < later, clock.now.duration(to: later), later.offset, clock.date, clock.minimumResolution)
    let sleeping = Task(executorPreference: clock.executor) { try await clock.sleep(until: later, tolerance: nil) }
    await clock.advance(by: .seconds(1))
    await clock.advance(to: later)
    await clock.settle()
    try await sleeping.value
}
