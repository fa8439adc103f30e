// What the three lists share: ask, then a table for people or one JSON array on one line for programs.

import FoundationEssentials
import Glibc
import Notify

/// Asks for a list and shows it.
enum List {
    static func show<Element: Codable & Sendable>(
        _ session: Session, isJSON: Bool, table: ([Element]) -> Table,
        ask: (NotifyCenter) async throws(NotifyError) -> NotifyCenter.Listing<Element>
    ) async throws(Failure) -> ExitCode {
        // A long list takes several answers: half of one daemon's and half of the next one's are no list.
        let center = try await session.connect(reconnects: false)
        let listing: NotifyCenter.Listing<Element>
        do {
            listing = try await ask(center)
        } catch {
            throw Failure(error)
        }
        var output = session.makeOutput()
        if isJSON {
            output.add(exact: try json(listing.elements) + "\n")
        } else {
            let lines = table(listing.elements).lines(width: Terminal.width(STDOUT_FILENO), style: session.style)
            lines.forEach { output.add(line: $0) }
        }
        try output.flush()
        if listing.isTruncated { Diagnostics.say("the list goes on: it is longer than one answer may be") }
        await session.close(center)
        return .done
    }

    /// One value on one line, keys in a stable order.
    static func json(_ elements: some Encodable) throws(Failure) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(elements), as: UTF8.self)
        } catch {
            throw Failure(.software, "the list cannot be written as JSON: \(error)")
        }
    }
}
