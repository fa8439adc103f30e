// The programs that a page of the documentation shows, as files: what a test runs is what a reader copies.

import Foundation

/// The files of a page: fenced blocks with the line `<!-- file NAME -->` above them.
package struct PageFiles {
    package let directory: TemporaryDirectory

    /// Writes them into a directory of their own. Scripts may be executed.
    ///
    /// - Parameter page: for example `OtherLanguages`.
    package init(of page: String) throws {
        directory = try TemporaryDirectory()
        let text = try Checkout.text(of: "Sources/Notify/Notify.docc/\(page).md")
        let files = text.matches(of: /\n<!-- file (\S+) -->\n```\w+\n((?:.*\n)*?)```\n/)
        guard !files.isEmpty else { throw CocoaError(.fileReadCorruptFile) }
        for (_, name, content) in files.map(\.output) {
            try Data(content.utf8).write(to: URL(filePath: path(String(name))))
            let mode = content.hasPrefix("#!") ? 0o755 : 0o644
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(String(name)))
        }
    }

    package func path(_ name: String) -> String { directory.path(name) }

    /// Replaces text in one of them, which has to be there.
    package func replace(_ text: String, with other: String, in name: String) throws {
        let content = try String(contentsOfFile: path(name), encoding: .utf8)
        guard content.contains(text) else { throw CocoaError(.fileReadCorruptFile) }
        // Written in place: its mode stays.
        try Data(content.replacing(text, with: other).utf8).write(to: URL(filePath: path(name)))
    }
}
