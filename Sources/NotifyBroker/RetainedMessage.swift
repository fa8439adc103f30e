// What is kept of a channel's last value.

import NotifyWire

/// A channel's last value: the body of its message line, ready to be sent again.
struct RetainedMessage {
    /// What filters of subscriptions ask about.
    struct Labels {
        var type: [UInt8]
        var subject: [UInt8]
        var uid: UInt32
    }

    var body: ByteSlice
    var labels: Labels
    /// Of whoever posted it.
    let account: AccountRef
    var sequence: UInt64
    var position: UInt64
    /// Where its channel stands in the list of channels with a retained message.
    var index: Int
    /// The deadline at which it is forgotten.
    var expiry = Deadlines<Due>.Key.none

    static func make(
        _ body: ByteSlice, _ labels: Labels, _ account: AccountRef, sequence: UInt64, position: UInt64
    ) -> UnsafeMutablePointer<RetainedMessage> {
        let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: body.count)
        copy.update(from: body.base, count: body.count)
        let retained = UnsafeMutablePointer<RetainedMessage>.allocate(capacity: 1)
        retained.initialize(
            to: RetainedMessage(
                body: ByteSlice(copy, body.count), labels: labels, account: account, sequence: sequence,
                position: position,
                index: -1))
        return retained
    }

    static func destroy(_ retained: UnsafeMutablePointer<RetainedMessage>) {
        retained.pointee.body.base.deallocate()
        retained.deinitialize(count: 1)
        retained.deallocate()
    }
}
