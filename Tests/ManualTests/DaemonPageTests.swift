// notifyd(8) against notifyd: options, exit statuses, variables, and the fields of its log.

import Foundation
import NotifyTestSupport
import Testing

@Suite("notifyd(8)")
struct DaemonPageTests {
    /// The rooms that are in the daemon.
    private static let rooms = [
        "notifyd", "NotifyDaemon", "NotifySystemd", "NotifyTransport", "NotifyStore", "NotifyBroker",
    ]

    private let page: ManualPage

    init() throws { page = try ManualPage("notifyd.8") }

    @Test("has the options of --help, and speaks of no others")
    func options() async throws {
        let options = try await HelpText("notifyd").options("Options:")
        #expect(options.count > 5)
        #expect(page.section("OPTIONS").items.map(\.head).sorted() == options.map(\.synopsis).sorted())
        let told = page.words(of: "Fl").map { "-\($0)" }
        #expect(Set(told).subtracting(options.flatMap(\.names)) == [])
        let synopsis = page.section("SYNOPSIS").text.matches(of: /--[a-z-]+/).map { String($0.output) }
        #expect(Set(synopsis) == Set(options.flatMap(\.names)).subtracting(["-h"]))
    }

    @Test("has the exit statuses of --help, with their meaning, and the README has them too")
    func statuses() async throws {
        let statuses = try await HelpText("notifyd").rows("Exit status:")
        let items = page.section("EXIT STATUS").items
        #expect(statuses.count > 5)
        #expect(items.map(\.head) == statuses.map(\.left))
        for (item, status) in zip(items, statuses) {
            let meaning = status.right.prefix(1).uppercased() + status.right.dropFirst()
            #expect(item.body.hasPrefix(meaning), "\(item.head): \(meaning)")
        }
        let readme = try Checkout.text(of: "README.md")
        let sentence = try #require(readme.firstMatch(of: /Exit statuses: ([^.]*)\./)).1
        #expect(sentence.matches(of: /\d+/).map { String($0.output) } == statuses.map(\.left))
    }

    @Test("has the variables that notifyd reads")
    func environment() throws {
        let read = try Environment.read(by: Self.rooms).subtracting(Environment.others)
        let items = page.section("ENVIRONMENT").items.map(\.head)
        // libsystemd asks for these two.
        #expect(Set(items) == read.union(["LISTEN_FDNAMES", "WATCHDOG_PID"]))
    }

    @Test("has the fields that are in the journal")
    func fields() throws {
        let written = try Environment.strings(/"(NOTIFYD_[A-Z_]+)"/, in: Self.rooms)
        let lists = page.section("LOGGING").items.map(\.head)
        #expect(written.count > 5)
        #expect(Set(lists) == written)
    }

    @Test("has the signals that notifyd waits for")
    func signals() throws {
        let source = try Checkout.text(of: "Sources/NotifyDaemon/Signals.swift")
        let list = try #require(source.firstMatch(of: /signalCreate\(\[([A-Z, ]+)\]\)/)).1
        #expect(page.section("SIGNALS").items.map(\.head) == list.split(separator: ", ").map(String.init))
    }
}
