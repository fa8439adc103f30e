// Finds the files of the configuration and lays them over each other: first what packages bring in /usr/lib/notifyd, then
// what the administrator says in /etc/notifyd, so that no package overrules an administrator. Of each directory
// notifyd.json5 comes first, then the drop-ins in the order of their names. A file in /etc stands for that of the same name
// in /usr/lib, which is not read then.

import FoundationEssentials
import Glibc

package struct ConfigurationLoader: Sendable {
    /// Read alone, when it was named on the command line.
    package var file: String?
    /// The most important directory first.
    package var directories = ["/etc/notifyd", "/usr/lib/notifyd"]

    package var names = NameService.system

    package init(file: String? = nil) {
        self.file = file
    }

    package func load() throws(ConfigurationError) -> Configuration {
        var configuration = Configuration()
        for path in try files() {
            let data = try Self.read(path)
            let source = ConfigurationSource(file: path, names: names)
            for setting in try ConfigurationFile.parse(data, source).settings { setting(&configuration) }
            // Within one file it has been seen already.
            try Self.check("channels", configuration.channelRules.count, Configuration.channelRuleLimit, path)
            try Self.check("access", configuration.accessRules.count, Configuration.accessRuleLimit, path)
        }
        configuration.community = try community()
        return configuration
    }

    private static func check(
        _ key: String, _ count: Int, _ limit: Int, _ path: String
    ) throws(ConfigurationError) {
        if count <= limit { return }
        throw ConfigurationError(
            file: path, key: key, reason: "with those of the files before it more than \(limit) rules")
    }

    /// The group whose members use the system's daemon; nil for a user's own, and where there is no such group.
    private func community() throws(ConfigurationError) -> UInt32? {
        let name = Configuration.communityName
        switch names.group(name) {
        case .found(let group): return Self.isSystemDaemon(group) ? group : nil
        case .unknown: return nil
        case .failed(let error):
            throw ConfigurationError(
                file: "access", key: "",
                reason: "the system cannot say what the group \"\(name)\" is: \(String(cString: strerror(error)))")
        }
    }

    /// Root's, or that of a user of the system (systemd's numbers for them) that is in the group: a person who is in it has a
    /// daemon of their own alone.
    private static func isSystemDaemon(_ group: UInt32) -> Bool {
        if geteuid() == 0 { return true }
        guard geteuid() < 1000 else { return false }
        let count = getgroups(0, nil)
        var groups = [gid_t](repeating: 0, count: Int(max(0, count)))
        return getegid() == group || getgroups(count, &groups) >= 0 && groups.contains(group)
    }

    /// What `load()` reads, in this order.
    package func files() throws(ConfigurationError) -> [String] {
        if let file { return [file] }
        var files: [String] = []
        var seen: Set<String> = []
        for directory in directories {
            let main = "notifyd.json5"
            let names = (try Self.list(directory + "/notifyd.conf.d") ?? []).filter { $0.hasSuffix(".json5") }.sorted()
            var here = access("\(directory)/\(main)", F_OK) == 0 ? [main] : []
            here += names.map { "notifyd.conf.d/\($0)" }
            files = here.filter { seen.insert($0).inserted }.map { "\(directory)/\($0)" } + files
        }
        return files
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
        // Nobody may ever write into a pipe, and a daemon that waits for it does nothing else.
        let fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard fd >= 0 else { throw ConfigurationError(file: path, key: "", reason: words(errno)) }
        defer { close(fd) }
        var status = stat()
        if fstat(fd, &status) == 0, status.st_mode & S_IFMT == S_IFIFO {
            throw ConfigurationError(file: path, key: "", reason: "is a pipe, expected a file")
        }
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
