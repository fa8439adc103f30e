// Finds the files of the configuration and lays them over each other: notifyd.json5 of /etc/notifyd, or without it that
// of /usr/lib/notifyd, then all drop-ins in the order of their names, /etc's instead of /usr/lib's of the same name.

import FoundationEssentials
import Glibc

package struct ConfigurationLoader: Sendable {
    /// Read alone, when it was named on the command line.
    package var file: String?
    /// The most important directory first.
    package var directories = ["/etc/notifyd", "/usr/lib/notifyd"]

    package init(file: String? = nil) {
        self.file = file
    }

    package func load() throws(ConfigurationError) -> Configuration {
        var configuration = Configuration()
        for path in try files() {
            let data = try Self.read(path)
            for setting in try ConfigurationFile.parse(data, file: path).settings { setting(&configuration) }
        }
        return configuration
    }

    private func files() throws(ConfigurationError) -> [String] {
        if let file { return [file] }
        let base = directories.map { $0 + "/notifyd.json5" }.first { access($0, F_OK) == 0 }
        var dropIns: [String: String] = [:]
        for directory in directories.reversed() {
            let place = directory + "/notifyd.conf.d"
            guard let names = try Self.list(place) else { continue }
            for name in names where name.hasSuffix(".json5") { dropIns[name] = place + "/" + name }
        }
        return (base.map { [$0] } ?? []) + dropIns.sorted { $0.key < $1.key }.map(\.value)
    }

    /// The names in a directory; nil when there is none.
    private static func list(_ path: String) throws(ConfigurationError) -> [String]? {
        guard access(path, F_OK) == 0 else { return nil }
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw ConfigurationError(file: path, key: "", reason: "cannot be listed: \(error)")
        }
    }

    private static func read(_ path: String) throws(ConfigurationError) -> Data {
        let fd = open(path, O_RDONLY | O_CLOEXEC)
        guard fd >= 0 else { throw ConfigurationError(file: path, key: "", reason: words(errno)) }
        defer { close(fd) }
        var data = Data()
        var chunk = [UInt8](repeating: 0, count: 16384)
        while true {
            let count = Glibc.read(fd, &chunk, chunk.count)
            if count < 0 { throw ConfigurationError(file: path, key: "", reason: words(errno)) }
            if count == 0 { return data }
            data.append(contentsOf: chunk.prefix(count))
            // A device or a log given by mistake must not fill the memory.
            if data.count > 1 << 20 { throw ConfigurationError(file: path, key: "", reason: "larger than 1 MiB") }
        }
    }

    private static func words(_ number: Int32) -> String {
        "cannot be read: " + String(cString: strerror(number))
    }
}
