// What `make install` puts somewhere, `make uninstall` takes away. (On a running system: SystemdTests/Scenarios/uninstall.py.)

import Foundation
import NotifyTestSupport
import Testing

struct InstallationTests {
    private func make(_ target: String, _ settings: [String]) async throws {
        let outcome = try await Command.run("make", ["-C", Checkout.root.path, target] + settings)
        #expect(outcome.status == 0, "\(outcome.summary)")
    }

    @Test("An installed tree is empty after make uninstall", arguments: [[], ["PREFIX=/usr"], ["PREFIX=/opt/shop"]])
    func uninstall(prefix: [String]) async throws {
        let directory = try TemporaryDirectory()
        let settings = ["DESTDIR=\(directory.path("tree"))", "BUILT=\(Checkout.products.path)"] + prefix
        try await make("install", settings)
        #expect(try left(in: directory).count == 16, "15 files and the directory of the example")
        let pages = try left(in: directory).filter { $0.contains("/share/man/") }
        #expect(pages.count == 4)
        for page in pages where prefix != [] {
            let text = try String(contentsOfFile: directory.path(page), encoding: .utf8)
            #expect(!text.contains("/usr/local"), "\(page) names a place that is elsewhere")
        }
        try await make("uninstall", settings)
        #expect(try left(in: directory) == [])
        // Nor directories that a bare system does not have.
        let usual: Set = ["tree", "usr", "local", "opt", "shop", "bin", "lib", "share", "man"]
        let directories = try FileManager.default.subpathsOfDirectory(atPath: directory.url.path)
        #expect(Set(directories.map { ($0 as NSString).lastPathComponent }).subtracting(usual) == [])
    }

    /// Files, and directories of a name of ours.
    private func left(in directory: TemporaryDirectory) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: directory.url.path).filter { path in
            var isDirectory: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: directory.path(path), isDirectory: &isDirectory)
            return !isDirectory.boolValue || path.hasSuffix("notifyd")
        }
    }
}
