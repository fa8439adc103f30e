// Quotas as a file says them: about whom, and what they may have.

import FoundationEssentials
import NotifyBroker
import Testing

@testable import NotifyDaemon

@Suite("The configuration's quotas")
struct QuotaConfigurationTests {
    private static let names = NameService(
        user: { $0 == "alice" ? .found(1001) : .unknown }, group: { $0 == "staff" ? .found(50) : .unknown })

    private func read(_ text: String) throws -> Configuration {
        var configuration = Configuration()
        let file = try ConfigurationFile.parse(
            Data(text.utf8), ConfigurationSource(file: "/etc/x.json5", names: Self.names))
        for setting in file.settings { setting(&configuration) }
        return configuration
    }

    @Test("name people and units, and limits without the ending of those of one uid")
    func values() throws {
        let configuration = try read(
            """
            { quotas: [
                { user: "alice", limits: { clients: 50, messages_per_s: 1000, client_queue_bytes: 4096 } },
                { group: "staff", unit: "shop.service", limits: { queued_bytes: 8192 } },
                { uid: 7, limits: { messages_per_s_per_client: 5, burst_s: 3 } },
            ] }
            """)
        #expect(
            configuration.quotas.map(\.who) == [
                Selector(uid: 1001), Selector(gid: 50, unit: "shop.service"), Selector(uid: 7),
            ])
        #expect(
            configuration.quotas[0].text
                == #"{ user: "alice", limits: { clients: 50, client_queue_bytes: 4096, messages_per_s: 1000 } }"#)
        #expect(configuration.quotas.map(\.origin) == (1...3).map { "/etc/x.json5, quota \($0)" })
        #expect(configuration.asksForUnits)
        // What it prints is read as the same.
        #expect(try read(configuration.description).quotas == configuration.quotas)
    }

    @Test("that come and go are told one by one, each in one line")
    func changes() throws {
        let alice = #"{ user: "alice", limits: { clients: 50 } }"#
        let old = try read("{ quotas: [ \(alice), { gid: 50, limits: { clients: 7 } } ] }")
        let new = try read("{ quotas: [ \(alice), { gid: 50, limits: { clients: 8 } } ] }")
        #expect(
            old.changes(to: new) == [
                "quotas: removed { gid: 50, limits: { clients: 7 } }: gid 50",
                "quotas: added { gid: 50, limits: { clients: 8 } }: gid 50",
            ])
        #expect(Configuration().changes(to: old).first == "quotas: added \(alice): uid 1001")
        #expect(new.changes(to: new).isEmpty)
    }

    @Test(
        "say what is wrong, where, and what would be right",
        arguments: [
            (#"{ user: "bob", limits: { clients: 1 } }"#, #"quotas[0].user (quota 1): found "bob", expected a user"#),
            (#"{ limits: { clients: 1 } }"#, "quotas[0].limits (quota 1): about nobody: expected user"),
            (#"{ uid: 1 }"#, "quotas[0] (quota 1): no 'limits'"),
            (
                #"{ uid: 1, limits: { clients_per_uid: 1 } }"#,
                "quotas[0].limits.clients_per_uid (quota 1): unknown key; there are clients,"
            ),
            (#"{ uid: 1, limits: { line_bytes: 9000 } }"#, "quotas[0].limits.line_bytes (quota 1): unknown key"),
            (
                #"{ uid: 1, limits: { clients: 0 } }"#,
                "quotas[0].limits.clients (quota 1): found 0, expected an integer from 1 to 1000000"
            ),
            (#"{ uid: 1, limits: { clients: "5" } }"#, "quotas[0].limits.clients (quota 1): found"),
            (
                #"{ uid: 1, limit: { clients: 5 } }"#,
                "quotas[0].limit (quota 1): unknown key; did you mean 'limits'? There are user"
            ),
        ])
    func wrong(entry: String, reason: String) {
        let error = #expect(throws: ConfigurationError.self) { try read("{ quotas: [\(entry)] }") }
        #expect(error?.description.hasPrefix("/etc/x.json5: \(reason)") == true, "\(String(describing: error))")
    }

    @Test("are not more than 200")
    func number() throws {
        let entry = "{ uid: 1, limits: { clients: 5 } },"
        #expect(try read("{ quotas: [\(String(repeating: entry, count: 200))] }").quotas.count == 200)
        #expect(throws: ConfigurationError.self) { try read("{ quotas: [\(String(repeating: entry, count: 201))] }") }
    }

    @Test("have a key for each limit of one uid, and for nothing that is everybody's")
    func keys() {
        let names = Configuration.quotaKeys.map(\.name)
        #expect(names.contains("clients") && names.contains("history_bytes") && names.contains("connects_per_s"))
        let all = Configuration.limitKeys.map(\.name)
        #expect(
            names.filter { !all.contains("\($0)_per_uid") }.sorted() == [
                "burst_s", "bytes_per_s_per_client", "client_queue_bytes", "messages_per_s_per_client",
                "subscriptions_per_client",
            ])
    }
}
