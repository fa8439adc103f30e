// Declarations that the public surface leans on while their bodies are being written.

import NotifyWire

struct PostDraft {
    var channel: NotifyCenter.Channel
    var type: String?
    var subject: NotifyCenter.Subject?
    var payload: [UInt8]
    var options: NotifyCenter.PostOptions
}

enum Question {
    case get(NotifyCenter.Channel)
    case clear(NotifyCenter.Channel)
    case channels(NotifyCenter.Pattern?)
    case clients
    case subscriptions(NotifyCenter.Pattern?)
    case statistics
    case ping
}

struct Reply: Sendable {
    func listing<Element>(_ key: String) throws(NotifyError) -> NotifyCenter.Listing<Element> { fatalError() }
    func statistics() throws(NotifyError) -> NotifyCenter.Statistics { fatalError() }
    func retainedMessage() throws(NotifyError) -> NotifyCenter.RawMessage? { fatalError() }
}

extension NotifyCenter.PostReceipt {
    init(reply: Reply) throws(NotifyError) { fatalError() }
}

final class Answer: Sendable {
    var value: Reply { get async throws(NotifyError) { fatalError() } }
}

struct Wish: Sendable {
    static func typed<M: NotifyCenter.Message>(
        _ type: M.Type, subject: NotifyCenter.Subject?, replay: NotifyCenter.Replay = .none, bufferSize: Int
    ) -> Wish { Wish() }
    static func raw(_ patterns: [NotifyCenter.Pattern], _ options: NotifyCenter.SubscriptionOptions) -> Wish { Wish() }
}

struct FeedCounters { var dropped: UInt64 = 0; var undecodable: UInt64 = 0 }

final class FeedSource: Sendable {
    var counters: FeedCounters { FeedCounters() }
    func makeReader() -> FeedReader { fatalError() }
    func close() {}
    func acknowledged() async throws(NotifyError) {}
}

struct FeedReader {
    mutating func next(isolation actor: isolated (any Actor)?) async -> NotifyCenter.RawEvent? { fatalError() }
    func checkFailure() throws(NotifyError) {}
    func decode<M: NotifyCenter.Message>(_ type: M.Type, from raw: NotifyCenter.RawMessage) -> M? { nil }
}

enum Observer {
    static func start<M: NotifyCenter.Message>(
        _ source: FeedSource, _ type: M.Type, _ handler: @escaping @Sendable (M) async -> Bool
    ) -> NotifyCenter.ObservationToken { fatalError() }
    static func startOnMainActor<M: NotifyCenter.Message>(
        _ source: FeedSource, _ type: M.Type, _ handler: @escaping @MainActor (M) -> Bool
    ) -> NotifyCenter.ObservationToken { fatalError() }
}

extension NotifyCenter.RawMessage {
    func typed<M: NotifyCenter.Message>(_ type: M.Type) throws(NotifyError) -> M { fatalError() }
}

extension NotifyCenter.MessageInfo {
    init(batch: MessageBatch, fields: MessageFields) { fatalError() }
}

final class Link: Sendable {
    init(endpoint: NotifyCenter.Endpoint, configuration: NotifyCenter.Configuration) {}
    func ready() async throws(NotifyError) {}
    var server: NotifyCenter.ServerInfo? { nil }
    var diagnostics: NotifyCenter.Diagnostics { NotifyCenter.Diagnostics() }
    func states() -> NotifyCenter.ConnectionStates { fatalError() }
    func shutdown(drainingFor limit: Duration) async {}
    func submit(_ draft: PostDraft) async throws(NotifyError) -> NotifyCenter.PendingReceipt { fatalError() }
    func enqueue(_ draft: PostDraft) throws(NotifyError) {}
    func subscribe(_ wish: Wish) -> FeedSource { fatalError() }
    func ask(_ question: Question) async throws(NotifyError) -> Reply { fatalError() }
}
