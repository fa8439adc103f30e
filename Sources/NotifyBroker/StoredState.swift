// What a store gives back to the broker that starts upon it.

package struct StoredState: Equatable, Sendable {
    package var epoch: String
    /// Every number up to here may have been given away.
    package var position: UInt64
    package var channels: [StoredChannel]

    package init(epoch: String, position: UInt64 = 0, channels: [StoredChannel] = []) {
        (self.epoch, self.position, self.channels) = (epoch, position, channels)
    }
}

package struct StoredChannel: Equatable, Sendable {
    package var name: [UInt8]
    /// The `seq` of its last message.
    package var sequence: UInt64
    package var retained: StoredMessage?
    /// By their `seq`.
    package var history: [StoredMessage] = []
    package var keys: [StoredKey] = []

    package init(name: [UInt8], sequence: UInt64) {
        (self.name, self.sequence) = (name, sequence)
    }
}
