// Configurations as values: printed in the format of the file, and compared.

import Foundation
import NotifyBroker
import NotifyTestSupport
import Testing

@testable import NotifyDaemon

@Suite("A configuration")
struct ConfigurationTests {
    private func readBack(_ configuration: Configuration) throws -> Configuration {
        let directory = try TemporaryDirectory()
        let path = directory.path("printed.json5")
        try Data(configuration.description.utf8).write(to: URL(filePath: path))
        var loader = ConfigurationLoader(file: path)
        loader.names = .empty
        return try loader.load()
    }

    @Test("printed and read again is the same", arguments: [nil, "/run/x", "@name", #"/a "quoted" \ path"#, "/é😀"])
    func roundTrip(socket: String?) throws {
        var random = SplitMix(state: 7)
        for mode in [0, 0o600, 0o060, 0o777] as [UInt32] {
            var configuration = Configuration()
            configuration.socket = socket
            configuration.mode = mode
            configuration.logLevel = random.pick(Log.Level.allCases)
            for key in Configuration.limitKeys {
                configuration.limits[keyPath: key.path] = Int.random(in: key.range, using: &random)
            }
            #expect(try readBack(configuration) == configuration)
        }
        #expect(try readBack(Configuration()) == Configuration())
    }

    @Test("prints every key that a file may hold")
    func complete() {
        let text = Configuration().description
        for key in Configuration.limitKeys { #expect(text.contains("\"\(key.name)\": ")) }
        #expect(text.contains(#""mode": "0600""#))
        #expect(text.contains(#""log_level": "info""#))
    }

    @Test("names each limit of the broker that can be set once")
    func keys() {
        let names = Configuration.limitKeys.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(Set(Configuration.limitKeys.map { $0.path as AnyKeyPath }).count == names.count)
        #expect(Mirror(reflecting: Limits()).children.count == names.count)
    }

    @Test("tells what a change to another one means, a line for each change")
    func changes() {
        let old = Configuration()
        #expect(old.changes(to: old).isEmpty)
        var new = old
        new.limits.clients = 5
        new.limits.queueBytes = 4096
        new.logLevel = .error
        new.mode = 0o666
        #expect(
            old.changes(to: new) == [
                "mode: at the next start", "log_level: info → error",
                "limits.clients: 32768 → 5", "limits.queue_bytes: 8388608 → 4096",
            ])
        #expect(new.changes(to: old).contains("limits.clients: 5 → 32768"))
    }

    @Test("tells what waits for the next start when it is not what the daemon has started with")
    func later() {
        let first = Configuration()
        var other = first
        (other.socket, other.mode, other.spinMicroseconds, other.stateDirectory) = ("/run/x", 0o666, 0, "/var/x")
        let all = ["socket", "mode", "state_directory", "spin_us"].map { "\($0): at the next start" }
        #expect(first.changes(to: other, startedWith: first) == all)
        #expect(first.changes(to: other, startedWith: first, hasOwnSocket: false) == Array(all.suffix(2)))
        #expect(other.changes(to: first, startedWith: first).isEmpty, "set back before the start")
        var third = other
        third.mode = 0o660
        #expect(other.changes(to: third, startedWith: first) == ["mode: at the next start"])
    }

    @Test(
        "has log levels from grave to chatty", arguments: zip(["error", "warning", "notice", "info", "debug"], 3...7))
    func levels(name: String, priority: Int32) {
        #expect(Log.Level(name)?.rawValue == priority, "the priorities of syslog(3)")
        #expect(Log.Level(name)?.name == name)
        #expect(Log.Level(name.uppercased()) == nil)
    }
}
