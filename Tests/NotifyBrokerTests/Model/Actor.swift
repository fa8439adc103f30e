// A client of a play, and what it waits for.

@testable import NotifyBroker

final class Actor {
    /// What the reply to a request has to say.
    enum Meaning {
        /// Of a post, or of each post of a batch; `piece` is what it waits for if it is to be stored, `isLenient` if a
        /// store that fails may or may not be the reason of an error.
        case posts([(number: Int, answer: Model.Answer)], isBatch: Bool, piece: Int?, isLenient: Bool)
        case refused(String)
        case subscribed(Int, Life)
        case unsubscribed(Int)
        /// `piece` is what it waits for if it is to be stored.
        case ok(piece: Int?)
    }

    let client: StageClient
    let uid: UInt32
    var number: Int { Int(client.number) }
    /// By number, as requests have been sent.
    var asked: [Int: Life] = [:]
    /// By number, as replies have been read.
    var heard: [Int: Life] = [:]
    /// What is to be answered, in this order.
    var awaited: [(id: Int, meaning: Meaning)] = []
    var will: ModelPost?
    var saidBye = false
    /// The last look ended within a line.
    var isInsideLine = false

    init(_ client: StageClient, uid: UInt32) { (self.client, self.uid) = (client, uid) }
}
