// A manual page as its source has it: sections, the items of its lists, and the text of a line with the macros taken out.
// As much of mdoc(7) as our pages use; whether they are good mdoc is for mandoc and groff to say.

import Foundation
import NotifyTestSupport

struct ManualPage {
    static let folder = "Sources/Manual"

    static var names: [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: Checkout.root.appending(path: folder).path)
        return (names ?? []).sorted()
    }

    /// An entry of a list: `.It HEAD`, and what stands below it. Several heads may share one body.
    struct Item: Equatable {
        var head: String
        var lines: [Substring] = []

        var body: String { ManualPage.text(lines) }

        /// The words that a macro is about.
        func words(of macro: String) -> [String] { lines.flatMap { MdocLine.words(of: macro, in: $0) } }
    }

    /// The part between two headings.
    struct Section {
        var title: String
        var lines: [Substring] = []
    }

    let sections: [Section]
    let lines: [Substring]

    /// - Parameter name: such as `notifyctl.1`.
    init(_ name: String) throws {
        lines = try Checkout.text(of: "\(Self.folder)/\(name)").split(separator: "\n")
        var sections = [Section(title: "")]
        for line in lines {
            if line.hasPrefix(".Sh ") || line.hasPrefix(".Ss ") {
                sections.append(Section(title: String(line.dropFirst(4))))
            } else {
                sections[sections.count - 1].lines.append(line)
            }
        }
        self.sections = sections
    }

    /// The section or subsection of this title; empty if there is none.
    func section(_ title: String) -> Section {
        sections.first { $0.title == title } ?? Section(title: title)
    }

    /// The titles of the subsections of a section.
    func subsections(of title: String) -> [String] {
        let headings = lines.filter { $0.hasPrefix(".Sh ") || $0.hasPrefix(".Ss ") }
        let inside = headings.drop { $0 != ".Sh \(title)" }.dropFirst().prefix { $0.hasPrefix(".Ss ") }
        return inside.map { String($0.dropFirst(4)) }
    }

    /// The words that a macro is about, wherever it stands.
    func words(of macro: String) -> [String] {
        lines.flatMap { MdocLine.words(of: macro, in: $0) }
    }

    static func text(_ lines: [Substring]) -> String {
        lines.map { MdocLine.text(of: String($0)) }.filter { !$0.isEmpty }.joined(separator: " ")
    }
}

extension ManualPage.Section {
    /// All of it without macros.
    var text: String { ManualPage.text(lines) }

    /// The entries of its lists; of lists within lists those of the outer ones.
    var items: [ManualPage.Item] { items(atDepth: 1) }

    /// The entries of lists that stand within `depth - 1` others.
    func items(atDepth wanted: Int) -> [ManualPage.Item] {
        var items: [ManualPage.Item] = []
        var body: [Substring] = []
        var depth = 0
        func close() {
            if !items.isEmpty, items[items.count - 1].lines.isEmpty { items[items.count - 1].lines = body }
            body = []
        }
        for line in lines {
            if line.hasPrefix(".It"), depth == wanted {
                close()
                items.append(ManualPage.Item(head: MdocLine.text(of: "." + line.dropFirst(4))))
                continue
            }
            if line.hasPrefix(".Bl") { depth += 1 }
            if depth >= wanted { body.append(line) }
            guard line == ".El" else { continue }
            if depth == wanted { close() }
            depth -= 1
        }
        return items
    }
}
