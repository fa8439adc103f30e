// Which files are read, and which of them wins.

import Foundation
import NotifyBroker
import NotifyTestSupport
import Testing

@testable import NotifyDaemon

extension NameService {
    /// A system without users and groups.
    static let empty = NameService(user: { _ in .unknown }, group: { _ in .unknown })
}

@Suite("The configuration's files")
struct ConfigurationLoaderTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func write(_ path: String, _ text: String) throws {
        let file = directory.url.appending(path: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private var loader: ConfigurationLoader {
        var loader = ConfigurationLoader()
        loader.directories = [directory.path("etc"), directory.path("lib")]
        loader.names = .empty
        return loader
    }

    private func load() throws -> Configuration { try loader.load() }

    private func fault() -> ConfigurationError? {
        do {
            _ = try load()
            return nil
        } catch {
            return error as? ConfigurationError
        }
    }

    @Test("may all be missing")
    func none() throws {
        #expect(try load() == Configuration())
    }

    @Test("are named in the order in which they are read")
    func names() throws {
        #expect(try loader.files() == [])
        let read = ["lib/notifyd.conf.d/a.json5", "etc/notifyd.json5", "etc/notifyd.conf.d/b.json5"]
        for name in read + ["lib/notifyd.json5"] { try write(name, "{}") }
        #expect(try loader.files() == read.map { directory.path($0) })
    }

    @Test("of the administrator stand in for those of the package")
    func mainFile() throws {
        try write("lib/notifyd.json5", #"{limits:{clients:1,channels:1}}"#)
        #expect(try load().limits.clients == 1)
        try write("etc/notifyd.json5", #"{limits:{clients:2}}"#)
        #expect(try load().limits.clients == 2)
        #expect(try load().limits.channels == Limits().channels, "the package's file is not read then")
    }

    @Test("dropped in are read in the order of their names, over the main file of the same directory")
    func dropIns() throws {
        try write("etc/notifyd.json5", #"{limits:{clients:1,channels:1,queue_messages:1}}"#)
        try write("etc/notifyd.conf.d/30-c.json5", #"{limits:{channels:30}}"#)
        try write("etc/notifyd.conf.d/20-b.json5", #"{limits:{clients:20,channels:20}}"#)
        let configuration = try load()
        #expect(configuration.limits.clients == 20)
        #expect(configuration.limits.channels == 30)
        #expect(configuration.limits.queueMessages == 1)
    }

    @Test("of packages give way to every file of the administrator, whatever their names")
    func packages() throws {
        try write("lib/notifyd.json5", #"{mode:"0640"}"#)
        try write("lib/notifyd.conf.d/10-a.json5", #"{limits:{clients:10,channels:10},log_level:"debug"}"#)
        try write("lib/notifyd.conf.d/50-pkg.json5", #"{limits:{clients:50,channels:50,queue_messages:50}}"#)
        try write("etc/notifyd.conf.d/20-b.json5", #"{limits:{channels:20}}"#)
        #expect(try load().mode == 0o640)
        try write("etc/notifyd.json5", #"{limits:{clients:1}}"#)
        let configuration = try load()
        #expect(configuration.limits.clients == 1, "the main file of /etc over drop-ins of /usr/lib")
        #expect(configuration.limits.channels == 20)
        #expect(configuration.limits.queueMessages == 50, "what the administrator says nothing of is the package's")
        #expect(configuration.logLevel == .debug)
    }

    @Test("dropped in by the administrator replace the package's of the same name")
    func masked() throws {
        try write("lib/notifyd.conf.d/10-a.json5", #"{limits:{clients:10,channels:10}}"#)
        try write("etc/notifyd.conf.d/10-a.json5", #"{limits:{clients:11}}"#)
        let configuration = try load()
        #expect(configuration.limits.clients == 11)
        #expect(configuration.limits.channels == Limits().channels)
    }

    @Test("of other names are not looked at")
    func otherNames() throws {
        try write("etc/notifyd.conf.d/README", "not JSON5")
        try write("etc/notifyd.conf.d/10-a.json5~", "not JSON5")
        try write("etc/notifyd.conf.d/10-a.json", "not JSON5")
        #expect(try load() == Configuration())
    }

    @Test("that are bad are named, and nothing is taken from the good ones")
    func bad() throws {
        try write("etc/notifyd.json5", #"{limits:{clients:1}}"#)
        try write("etc/notifyd.conf.d/10-a.json5", #"{limits:{clients:"x"}}"#)
        #expect(fault()?.file == directory.path("etc/notifyd.conf.d/10-a.json5"))
        #expect(fault()?.key == "limits.clients")
    }

    @Test("named on the command line are read alone, and must be there")
    func named() throws {
        try write("etc/notifyd.json5", "{}")
        let missing = directory.path("missing.json5")
        let fault = #expect(throws: ConfigurationError.self) { try ConfigurationLoader(file: missing).load() }
        #expect(fault?.description == "\(missing): cannot be read: No such file or directory")
        let folder = directory.path("etc")
        #expect(throws: ConfigurationError(file: folder, key: "", reason: "cannot be read: Is a directory")) {
            try ConfigurationLoader(file: folder).load()
        }
    }

    @Test("that are pipes are refused, and nobody waits for one to be written to")
    func pipes() throws {
        for place in ["etc/notifyd.json5", "lib/notifyd.conf.d/x.json5"] {
            let path = directory.path(place)
            let parent = URL(filePath: path).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
            try #require(mkfifo(path, 0o600) == 0)
            let found = fault()
            #expect(found?.file == path && found?.reason == "is a pipe, expected a file")
            unlink(path)
        }
    }

    @Test("of an unbelievable size, or that never end, are not read to their end")
    func size() throws {
        let limit = 1 << 20
        let padding = String(repeating: " ", count: limit - 2)
        try write("etc/notifyd.json5", "{}" + padding)
        #expect(try load() == Configuration())
        try write("etc/notifyd.json5", "{}" + padding + " ")
        #expect(fault()?.reason == "larger than 1 MiB")
        #expect(throws: ConfigurationError(file: "/dev/zero", key: "", reason: "larger than 1 MiB")) {
            try ConfigurationLoader(file: "/dev/zero").load()
        }
    }
}
