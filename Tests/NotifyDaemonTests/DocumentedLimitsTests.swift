// The page on quotas tells each limit and its default: they are those of the code.

import Foundation
import NotifyBroker
import NotifyTestSupport
import Testing

@testable import NotifyDaemon

@Suite("The page on quotas")
struct DocumentedLimitsTests {
    private static let page = "Sources/Notify/Notify.docc/Quotas.md"

    /// `| `name` | 5 | …`
    private func rows() throws -> [String: Int] {
        var rows: [String: Int] = [:]
        for line in try Checkout.text(of: Self.page).split(separator: "\n") where line.hasPrefix("| `") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            if cells.count == 3, let value = Int(cells[1]) { rows[cells[0].replacing("`", with: "")] = value }
        }
        return rows
    }

    @Test("tells the defaults as they are")
    func defaults() throws {
        let rows = try rows()
        #expect(rows.count > 20)
        for (name, value) in rows {
            let key = Configuration.limitKeys.first { $0.name == name }
            #expect(key.map { Limits()[keyPath: $0.path] } == value, "\(name)")
        }
    }

    @Test("has every limit of a uid and of a connection, and what they are a share of")
    func complete() throws {
        let rows = try rows()
        for key in Configuration.limitKeys.map(\.name) {
            let whole = key.hasSuffix("_per_uid") ? String(key.dropLast(8)) : key
            #expect(rows[key] != nil || !Configuration.quotaKeys.contains { $0.name == whole }, "\(key)")
        }
    }

    @Test("shows quotas that a file may hold")
    func example() throws {
        let text = try Checkout.text(of: Self.page)
        let start = try #require(text.range(of: "```json5\n"))
        let end = try #require(text.range(of: "```", range: start.upperBound..<text.endIndex))
        let names = NameService(user: { _ in .found(1) }, group: { _ in .found(2) })
        let file = try ConfigurationFile.parse(
            Data(text[start.upperBound..<end.lowerBound].utf8), ConfigurationSource(file: "page", names: names))
        var configuration = Configuration()
        for setting in file.settings { setting(&configuration) }
        #expect(configuration.quotas.count == 3)
    }
}
