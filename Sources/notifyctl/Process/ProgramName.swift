// What a process is called, and which unit of systemd it belongs to: the machine says it to whoever may ask, so the
// daemon need not. A number may be somebody else's by now, or hidden: then there is no name.

import Glibc

/// The names of the process behind a number.
struct ProgramName: Sendable, Equatable {
    /// proc(5): `comm`, at most 15 bytes.
    var command: String?
    /// The unit, such as `shop.service`.
    var unit: String?

    /// As /proc has it now.
    static func of(_ pid: Int32) -> ProgramName {
        guard pid > 0 else { return ProgramName() }
        let command = read("/proc/\(pid)/comm").map { $0.last == "\n" ? String($0.dropLast()) : $0 }
        return ProgramName(command: command, unit: read("/proc/\(pid)/cgroup").flatMap { unit(inGroups: $0) })
    }

    /// The innermost unit in the text of `/proc/PID/cgroup`; what is no unit of systemd's (a container's own groups, a
    /// slice) is none.
    static func unit(inGroups text: String) -> String? {
        // With cgroup v1 beside v2 systemd's own hierarchy is the one of this name.
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("0::") || $0.contains(":name=systemd:") }
        let path = lines.first.map { $0.split(separator: ":", maxSplits: 2).last ?? "" } ?? ""
        return path.split(separator: "/").last { part in endings.contains { part.hasSuffix($0) } }.map(String.init)
    }

    private static let endings = [".service", ".scope", ".socket", ".mount", ".swap"]

    private static func read(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }
}
