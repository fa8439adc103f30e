// Lists that the daemon gives in several answers.

import Notify
import NotifyTestSupport
import Testing

@Suite("Long lists", .timeLimit(.minutes(1)))
struct LongListTests {
    @Test("are whole, however many answers they take")
    func whole() async throws {
        let daemon = try TestDaemon(configuration: "{limits: {line_bytes: 8192}}")
        let center = NotifyCenter(endpoint: .socket(path: daemon.socketPath))
        let other = try daemon.client()
        for number in 1...150 { try other.send("{\"op\":\"subscribe\",\"channel\":\"c.\(number)\"}") }
        _ = try other.must("{\"op\":\"ping\"}")
        let clients = try (1...60).map { _ in try daemon.client() }
        for client in clients { _ = try client.must("{\"op\":\"ping\"}") }
        let channels = try await center.channels()
        #expect(!channels.isTruncated)
        #expect(channels.elements.map(\.channel.rawValue) == (1...150).map { "c.\($0)" }.sorted())
        let subscriptions = try await center.subscriptions(matching: "c.*")
        #expect(subscriptions.elements.map(\.sub) == Array(1...150))
        #expect(try await center.clients().elements.count == 62)
        await center.shutdown()
    }
}
