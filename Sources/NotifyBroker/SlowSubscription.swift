// Told to the log when a subscription begins to lose messages: whose it is, and how much waits for it.

import NotifyWire

package struct SlowSubscription: Equatable, Sendable {
    package var client: UInt64
    package var pid: Int32
    package var uid: UInt32
    package var sub: UInt32
    package var pattern: String
    package var waitingMessages: Int
    package var waitingBytes: Int

    init(_ subscription: SubscriptionRef) {
        let peer = subscription.pointee.peer
        client = peer.pointee.client
        pid = peer.pointee.pid
        uid = peer.pointee.uid
        sub = subscription.pointee.number
        pattern = subscription.pointee.pattern.text
        waitingMessages = Int(subscription.pointee.waitingMessages)
        waitingBytes = Int(subscription.pointee.waitingBytes)
    }
}
