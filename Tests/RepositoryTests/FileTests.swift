// What holds for the files themselves.

import Foundation
import NotifyTestSupport
import Testing

struct FileTests {
    /// Beyond this a second idea has usually moved in.
    private static let longest = 400

    @Test("No source file is longer than 400 lines")
    func length() throws {
        let files = Manifest.swiftFiles(below: "Sources")
        #expect(!files.isEmpty)
        for file in files {
            let count = try Checkout.text(of: file).split(separator: "\n", omittingEmptySubsequences: false).count - 1
            #expect(count <= Self.longest, "\(file) has \(count) lines")
        }
    }

    @Test("Every file opens with a comment that tells its idea", arguments: ["Sources", "Tests"])
    func opening(directory: String) throws {
        for file in Manifest.swiftFiles(below: directory) {
            #expect(try Checkout.text(of: file).hasPrefix("// "), "\(file) does not open with a comment")
        }
    }

    @Test("The top level holds what a package of this kind needs, and nothing else")
    func topLevel() async throws {
        let expected: Set<String> = [
            "Makefile", "Package.resolved", "Package.swift", "README.md", "Sources", "Tests", "config", "systemd",
        ]
        let entries = Set(try await tracked().map { String($0.split(separator: "/")[0]) })
        #expect(entries.filter { !$0.hasPrefix(".") }.subtracting(expected) == [])
    }

    @Test("No file speaks of the machine it was written on")
    func machinePaths() async throws {
        // In pieces, so that this file does not name them itself.
        let places = [Checkout.root.path, "/" + "work/", "/" + "root/", "/" + "Users/"]
        for file in try await tracked() {
            guard let text = try? Checkout.text(of: file) else { continue }
            for place in places {
                #expect(!text.contains(place), "\(file) mentions \(place)")
            }
        }
    }

    /// What git keeps, or, in a source archive, every file that was unpacked.
    private func tracked() async throws -> [String] {
        if let files = try await Manifest.trackedFiles() { return files }
        let names = FileManager.default.enumerator(atPath: Checkout.root.path)?.compactMap { $0 as? String } ?? []
        return names.filter { !$0.hasPrefix(".build") && !$0.hasPrefix(".git/") }
    }
}
