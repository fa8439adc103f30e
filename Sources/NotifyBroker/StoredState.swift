// What a store gives back to the broker that starts upon it.

package struct StoredState: Equatable, Sendable {
    package var epoch: String
    /// Every number up to here may have been given away.
    package var position: UInt64
    /// The highest `pos` of all stored channels that were forgotten.
    package var forgotten: UInt64
    /// The highest `seq` that a persistent channel may have had that is not among these.
    package var floor: UInt64 = 0
    /// Which channels were persistent; empty: nobody knows.
    package var rules: [UInt8] = []
    package var channels: [StoredChannel]
    /// By the end of their windows.
    package var keys: [StoredKey] = []
    /// Every number of a post that is made later up to here may have been given away.
    package var schedule: UInt64 = 0
    /// In the order in which they were accepted.
    package var posts: [StoredPost] = []

    package init(epoch: String, position: UInt64 = 0, forgotten: UInt64 = 0, channels: [StoredChannel] = []) {
        (self.epoch, self.position, self.forgotten, self.channels) = (epoch, position, forgotten, channels)
    }
}

package struct StoredChannel: Equatable, Sendable {
    package var name: [UInt8]
    /// The `seq` of its last message.
    package var sequence: UInt64
    /// The `seq` before its first message.
    package var base: UInt64
    package var lost = StoredLoss()
    package var retained: StoredMessage?
    /// By their `seq`.
    package var history: [StoredMessage] = []

    package init(name: [UInt8], sequence: UInt64, base: UInt64 = 0) {
        (self.name, self.sequence, self.base) = (name, sequence, base)
    }
}
