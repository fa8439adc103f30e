// The variables that a program asks for, as its sources say it.

import Foundation
import NotifyTestSupport

enum Environment {
    /// Asked for to be left alone: libdispatch's own.
    static let others: Set<String> = ["LIBDISPATCH_LOG"]

    static func read(by rooms: [String]) throws -> Set<String> {
        try strings(/(?:getenv|environment|variable)\("([A-Z_]+)"\)/, in: rooms)
    }

    /// What the pattern finds in the Swift files of these rooms.
    static func strings(_ pattern: Regex<(Substring, Substring)>, in rooms: [String]) throws -> Set<String> {
        var found: Set<String> = []
        for room in rooms {
            let root = Checkout.root.appending(path: "Sources/\(room)")
            let names = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
            for name in names where name.hasSuffix(".swift") {
                let text = try String(contentsOf: root.appending(path: name), encoding: .utf8)
                found.formUnion(text.matches(of: pattern).map { String($0.1) })
            }
        }
        return found
    }
}
