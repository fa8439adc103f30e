// One request, as slices of the line it stood in. Fields that are not in `present` hold nothing of meaning.

package typealias RequestRef = UnsafePointer<Request>

package struct Request {
    package var op = Op.ping
    package var present: FieldSet = []

    /// The `id` as it stood in the line, quotes included; empty when there was none.
    package var id = ByteSlice.empty

    /// Posts with the same number, if it is not 0, have the same channel, type and subject, and are not retained.
    package var envelope: UInt64 = 0

    package var channel = ByteSlice.empty
    package var type = ByteSlice.empty
    package var subject = ByteSlice.empty
    /// `type` and `subject` as they stood between their quotes: how they are passed on.
    package var typeToken = ByteSlice.empty
    package var subjectToken = ByteSlice.empty
    package var name = ByteSlice.empty
    package var match = ByteSlice.empty
    /// Where a list goes on: what `next` of the answer before said.
    package var after = ByteSlice.empty

    /// The payload byte for byte; `null` when absent.
    package var payload = ByteSlice.empty
    /// The array of a batch, byte for byte.
    package var posts = ByteSlice.empty

    package var version: UInt64 = 0
    package var sub: UInt32 = 0
    package var fromUID: UInt32 = 0
    package var retain = false
    package var echo = true
    package var schedule: UInt64 = 0
    /// Of a post.
    package var terms = PostTerms()
    /// Of a subscription.
    package var wishes = SubscribeTerms()
    /// Of `explain`.
    package var wonder = ExplainTerms()

    package init() {}

    package var wantsReply: Bool { !id.isEmpty }

    /// Whether answering it may take a look at all channels, clients or subscriptions that there are.
    package var isSearch: Bool {
        switch op {
        case .channels, .clients, .subscriptions, .stats, .explain: true
        case .subscribe: wishes.replay != .none
        default: false
        }
    }

    package static let nullPayload: StaticString = "null"

    /// Back to "nothing said", for the next line.
    mutating func reset() {
        present = []
        envelope = 0
        id = .empty
        retain = false
        echo = true
        terms = PostTerms()
        wishes = SubscribeTerms()
        type = .empty
        subject = .empty
        typeToken = .empty
        subjectToken = .empty
        payload = ByteSlice(Self.nullPayload.utf8Start, Self.nullPayload.utf8CodeUnitCount)
    }
}
