// Posts of one peer that follow each other and differ in nothing but their payloads.

struct Run {
    enum State {
        /// The last request was no such post, or has not been looked at.
        case none
        /// The last request was one: the next may begin a run.
        case ready
        case on
        /// What was asked for once in this turn, in vain, is not asked for again.
        case impossible
    }

    var state = State.none
    var envelope: UInt64 = 0
    /// Whose, and how many there are.
    var peer: PeerRef?
    var posts = 0
    var payloadBytes = 0
    /// Where the first line begins.
    var start = 0
    /// How many more there may be until somebody's limit is near, and how many bytes their lines may have.
    var messagesLeft = 0
    var bytesLeft = 0
    /// Subscriptions for which each post waits, as their peers do not read.
    var blocked = 0
}
