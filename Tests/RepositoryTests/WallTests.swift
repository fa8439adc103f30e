// The walls between the rooms: who imports whom, who may be public, who links what.

import Foundation
import NotifyTestSupport
import Testing

struct WallTests {
    @Test("Package.swift has the rooms and the arrows that are written down here")
    func rooms() throws {
        let written = Dictionary(uniqueKeysWithValues: Room.all.map { ($0.name, $0.ours) })
        #expect(try Manifest.dependencies() == written)
    }

    @Test("A room imports only what it may", arguments: Room.all)
    func imports(of room: Room) throws {
        #expect(!room.files.isEmpty)
        for file in room.files {
            let imported = try imports(in: file)
            let foreign = imported.subtracting(room.ours).subtracting(room.system)
            #expect(foreign.isEmpty, "\(file) imports \(foreign.sorted())")
        }
    }

    @Test("Nobody but notifyd and the tests imports the daemon")
    func daemon() {
        #expect(Room.all.filter { $0.ours.contains("NotifyDaemon") }.map(\.name) == ["notifyd"])
    }

    @Test("A pure room asks neither the kernel nor the clock nor chance", arguments: Room.all.filter(\.isPure))
    func effects(in room: Room) throws {
        let effects: Set<Substring> = [
            "errno", "getenv", "getpid", "getuid", "clock_gettime", "gettimeofday", "fopen", "print", "ContinuousClock",
            "SuspendingClock", "Date", "random", "SystemRandomNumberGenerator", "Task", "Mutex", "Locked",
        ]
        for file in room.files {
            for line in try lines(of: file) where !line.trimmingPrefix(while: \.isWhitespace).hasPrefix("//") {
                let found = effects.intersection(line.matches(of: /\w+/).map(\.output))
                #expect(found.isEmpty, "\(file): \(line)")
            }
        }
    }

    @Test("Only the products of the library are public", arguments: Room.all)
    func publicDeclarations(of room: Room) throws {
        let declaration = /^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:public|open)\b(?! import\b)/
        for file in room.files {
            let isPublic = try lines(of: file).contains { $0.firstMatch(of: declaration) != nil }
            let isProduct = ["Notify", "NotifyFoundation", "NotifyTesting"].contains(room.name)
            #expect(!isPublic || isProduct, "\(file) declares something public")
        }
    }

    @Test(
        "no program starts with libsystemd or SQLite: the daemon loads them when systemd has started it, or for a store",
        arguments: ["notifyd", "notifyctl"])
    func systemd(program: String) async throws {
        let libraries = try await Command.run("ldd", [Checkout.program(program)])
        #expect(libraries.status == 0, "\(libraries.summary)")
        #expect(libraries.output.contains("libc.so"))
        #expect(libraries.output.contains("libsystemd") == false, "\(libraries.output)")
        #expect(libraries.output.contains("libsqlite3") == false, "\(libraries.output)")
    }

    private func lines(of file: String) throws -> [Substring] {
        try Checkout.text(of: file).split(separator: "\n", omittingEmptySubsequences: false)
    }

    private func imports(in file: String) throws -> Set<String> {
        let statement =
            /^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:public |package |internal |fileprivate |private )?import (?:struct |class |enum |protocol |func |var |let |typealias )?(\w+)/
        return Set(try lines(of: file).compactMap { $0.firstMatch(of: statement).map { String($0.1) } })
    }
}
