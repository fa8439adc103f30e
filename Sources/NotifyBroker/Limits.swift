// How much of everything. Every bound of the broker is here, with its unit and its reason.

package struct Limits: Equatable, Sendable {
    /// Longest line of a client, newline included, in bytes.
    package var lineBytes = 1 << 20
    /// Connections at a time.
    package var clients = 32768
    /// Connections at a time of one uid: nobody takes all of them.
    package var clientsPerUID = 16384
    package var subscriptionsPerClient = 10_000
    /// Subscriptions at a time: so many matches one post may have, and it is done in one piece.
    package var subscriptions = 524_288
    package var subscriptionsPerUID = 262_144
    /// Traces at a time, and those of one uid: each is asked with every post while there is one.
    package var traces = 64
    package var tracesPerUID = 64
    /// Default and largest queue of one subscription, in messages.
    package var queueMessages = 65536
    /// Default and largest queue of one subscription, in bytes.
    package var queueBytes = 8 << 20
    /// All that waits for one connection, in bytes: many subscriptions do not multiply the queue without bound.
    package var clientQueueBytes = 64 << 20
    /// All that waits for all connections, answers included, in bytes, and for those of one uid: shared as `Pool` says.
    package var queuedBytes = 256 << 20
    package var queuedBytesPerUID = 128 << 20
    /// What has come of lines that are not complete, or not handled yet, in bytes of memory, and of one uid: shared like
    /// what waits.
    package var inputBytes = 512 << 20
    package var inputBytesPerUID = 256 << 20
    /// How long posters wait for a full queue with policy `block`, in milliseconds.
    package var blockMilliseconds = 1000
    /// All retained messages together, in bytes.
    package var retainedBytes = 64 << 20
    package var retainedBytesPerUID = 64 << 20
    /// The histories of all channels together, in bytes; beyond it the uid that uses most gives up messages, of that of
    /// its channels to which was posted longest ago.
    package var historyBytes = 64 << 20
    package var historyBytesPerUID = 64 << 20
    /// Posts kept to be made later: scheduled ones, those held back for newer ones, and wills.
    package var scheduledPosts = 200_000
    /// Those of one uid: nobody takes all of them.
    package var scheduledPostsPerUID = 100_000
    /// What they take together, in bytes.
    package var scheduledBytes = 64 << 20
    package var scheduledBytesPerUID = 64 << 20
    /// How long a `dedup` key is remembered, in seconds.
    package var dedupWindowSeconds = 120
    /// All `dedup` keys that are remembered, in bytes.
    package var dedupBytes = 64 << 20
    package var dedupBytesPerUID = 64 << 20
    /// How much may come in a second; 0: any number.
    package var connectsPerSecondPerUID = 0
    package var messagesPerSecondPerUID = 0
    package var messagesPerSecondPerClient = 0
    package var bytesPerSecondPerUID = 0
    package var bytesPerSecondPerClient = 0
    /// How many seconds' worth of it may come at once.
    package var burstSeconds = 1
    /// Channels known at a time. Idle ones are forgotten first.
    package var channels = 262_144

    package init() {}

    /// Memory for messages is taken in pieces of so many bytes, and lines that wait keep a piece from being used again.
    package static let chunkBytes = 512 << 10

    /// Answers up to this length are given whatever waits, in bytes.
    static let shortAnswer = 8 << 10
    /// What is copied of the past for one connection at a time, in bytes.
    package static let pieceBytes = 128 << 10
    /// A piece is complete, too, when a message was looked at for each so many of its bytes.
    static let bytesPerStep = 64

    /// Replies that wait for one connection before its requests are no longer read, in bytes.
    static let replyBytes = 256 << 10
    /// What the answer to a batch has for each of its posts, at the most, in bytes.
    static let batchAnswer = 96
    /// Replies to one connection that are written before its next request is handled, in bytes.
    static let answersPerPiece = 64 << 10
    /// Bytes written in one wake-up before they are handed to the kernel.
    static let logBytes = 1 << 20
    /// Bytes of the log beyond which one post writes no further copies of its line into it.
    static let logCeiling = 8 << 20
    /// Subscriptions looked at, channels searched, … before others have their turn.
    package static let workPerTurn = 250_000
    /// What it costs when something happens by itself, besides what it causes.
    static let workPerDeadline = 16
    /// How often the wall clock is looked at while something is to happen at a time of day, in nanoseconds.
    static let lookNanoseconds: UInt64 = 1_000_000_000
    /// How often `dedup` keys are forgotten at the most, in nanoseconds.
    static let forgetNanoseconds: UInt64 = 1_000_000_000
    /// Bytes of messages that are not on disk yet, beyond which nothing more is read.
    static let unstoredBytes = 8 << 20
    /// Deliveries that one batch may cause: it is done in one piece.
    static let batchDeliveries = 1_000_000
    /// What it costs when a message waits for somebody who does not read, besides that it is delivered: room has to be made.
    static let workPerWait = 10
    /// What it costs to look at one place in the tree of patterns, in subscriptions looked at: memory is asked more often.
    static let workPerPlace = 4
    /// Places in the tree of patterns that one batch may have looked at, to find who gets it.
    static let batchPlaces = 1_000_000
    /// Events of traces that are kept until they are told; beyond they are only counted.
    static let tracesKept = 4096
    /// Subscriptions that one event names; of the others it says how many had which outcome.
    static let tracedReceivers = 64
    /// Work that one list of channels may be, subscriptions counted, before it is cut short.
    static let listWork = 2_000_000
    /// Matching subscriptions that a channel keeps in mind.
    static let matchesKept = 16
    /// Slices of one write, as many as sendmsg(2) takes (IOV_MAX).
    static let slicesPerWrite = 1024
    /// Channels of one subscription whose gaps are told one by one.
    static let gapChannels = 64
    /// What is kept in mind for one connection: gaps, in all places of all its queues, and topics that have had their
    /// message of an interval. Beyond, gaps of further channels are told as one, and messages of further topics are lost.
    static let notesPerClient = 65536
    /// Up to so many channels are kept however long they have been idle; when there are more, all idle ones go.
    static let idleChannels = 10_000
    /// How long a channel must be idle before it is forgotten, in nanoseconds.
    static let idleNanoseconds: UInt64 = 10_000_000_000
    /// Places of the table of channels that are looked at in one piece, and the pause before the next, in nanoseconds.
    static let sweepPlaces = 16384
    static let sweepPauseNanoseconds: UInt64 = 5_000_000
    /// The same with each wake-up, while there are more channels than allowed. Their histories go with them.
    static let urgentPlaces = 8192
    /// How often idle channels are looked for, in nanoseconds, while there are too many.
    static let sweepNanoseconds: UInt64 = 1_000_000_000
}
