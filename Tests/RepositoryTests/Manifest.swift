// The walls of the house, written down a second time. Package.swift says which room leans on which of ours; the system
// modules it cannot say, so they stand here. A change of either needs the other, and architecture is what changed then.

import Foundation
import NotifyTestSupport

struct Room: Sendable, CustomStringConvertible {
    let name: String
    /// Rooms of ours that it may import: exactly its dependencies in Package.swift.
    let ours: Set<String>
    /// Modules of the system and the toolchain that it may import.
    let system: Set<String>
    /// Bytes, grammar, meaning: no kernel, no clock, no randomness, no threads.
    var isPure = false

    var description: String { name }
    var files: [String] { Manifest.swiftFiles(below: "Sources/\(name)") }

    static let all: [Room] = [
        // Glibc for memcpy and its like; WallTests sees to it that it stays at that.
        Room(name: "NotifyWire", ours: ["CNotify"], system: ["FoundationEssentials", "Glibc"], isPure: true),
        Room(name: "NotifyBroker", ours: ["NotifyWire"], system: ["Glibc"], isPure: true),
        Room(name: "NotifyLock", ours: [], system: ["Glibc"]),
        Room(
            name: "NotifyTransport", ours: ["CNotify", "NotifyLock"], system: ["Dispatch", "Glibc", "Synchronization"]),
        Room(name: "NotifySystemd", ours: ["CSystemd"], system: ["Glibc"]),
        Room(name: "NotifyStore", ours: ["CSQLite", "NotifyBroker"], system: ["Glibc"]),
        Room(
            name: "NotifyDaemon",
            ours: [
                "CNotify", "NotifyLock", "NotifyWire", "NotifyBroker", "NotifyTransport", "NotifySystemd",
                "NotifyStore",
            ],
            system: ["Dispatch", "FoundationEssentials", "Glibc", "Synchronization"]),
        Room(
            name: "Notify", ours: ["NotifyLock", "NotifyWire", "NotifyTransport"],
            system: ["Dispatch", "FoundationEssentials", "Glibc", "Observation", "Synchronization"]),
        Room(name: "NotifyFoundation", ours: ["Notify", "NotifyLock"], system: ["Foundation"]),
        Room(
            name: "NotifyTesting", ours: ["Notify", "NotifyBroker", "NotifyLock", "NotifyWire"],
            system: ["Dispatch", "FoundationEssentials"]),
        Room(
            name: "notifyd", ours: ["CGetopt", "NotifyBroker", "NotifyDaemon", "NotifySystemd", "NotifyTransport"],
            system: ["Glibc"]),
        Room(
            name: "notifyctl", ours: ["CGetopt", "CNotifyctl", "Notify", "NotifyLock"],
            system: ["Dispatch", "FoundationEssentials", "Glibc", "Synchronization"]),
    ]
}

enum Manifest {
    /// The dependencies of every Swift target below Sources, as Package.swift has them.
    static func dependencies() throws -> [String: Set<String>] {
        let text = try Checkout.text(of: "Package.swift")
        let target = /\.(?:executableTarget|target)\(\s*name: "(\w+)"(?:,\s*dependencies: \[([^\]]*)\])?(,\s*path:)?/
        var found: [String: Set<String>] = [:]
        for match in text.matches(of: target) where match.3 == nil {
            found[String(match.1)] = Set((match.2 ?? "").matches(of: /"(\w+)"/).map { String($0.1) })
        }
        return found
    }

    /// Paths from the root of the checkout.
    static func swiftFiles(below directory: String) -> [String] {
        let root = Checkout.root.appending(path: directory)
        let names = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        return names.filter { $0.hasSuffix(".swift") }.sorted().map { "\(directory)/\($0)" }
    }

    /// What git keeps; nil where there is no git or no repository (a source archive).
    static func trackedFiles() async throws -> [String]? {
        let listed = try await Command.run("git", ["ls-files", "-z"], directory: Checkout.root)
        guard listed.status == 0 else { return nil }
        // A file that was deleted since is still listed.
        return listed.output.split(separator: "\0").map(String.init)
            .filter { FileManager.default.fileExists(atPath: Checkout.root.appending(path: $0).path) }
    }
}
