// Whose fault it is, for a sentence and for the journal's fields: as much as the daemon knows of a client. What its process
// is called is asked when it is told, once in a while: a unit with ProtectProc= may not see it, then there are number, user
// and unit.

import Glibc

struct Culprit {
    /// nil: it was turned away before it was a client.
    var client: UInt64?
    var pid: Int32
    var uid: UInt32
    var unit: String?
    /// What it calls itself.
    var name = ""

    /// `client 3 'shopd' (process 812 shop-indexer, uid 1000, unit shop.service)`.
    var text: String {
        let command = Self.command(of: pid).map { " \($0)" } ?? ""
        let unit = unit.map { ", unit \($0)" } ?? ""
        let process = "process \(pid)\(command), uid \(uid)\(unit)"
        guard let client else { return process }
        return "client \(client)\(name.isEmpty ? "" : " '\(name)'") (\(process))"
    }

    var fields: [(String, String)] {
        let found: [(String, String?)] = [
            ("NOTIFYD_CLIENT", client.map { "\($0)" }), ("NOTIFYD_CLIENT_PID", "\(pid)"),
            ("NOTIFYD_CLIENT_UID", "\(uid)"), ("NOTIFYD_CLIENT_COMMAND", Self.command(of: pid)),
            ("NOTIFYD_CLIENT_UNIT", unit), ("NOTIFYD_CLIENT_NAME", name.isEmpty ? nil : name),
        ]
        return found.compactMap { field in field.1.map { (field.0, $0) } }
    }

    /// proc(5), `comm`.
    static func command(of pid: Int32) -> String? {
        guard pid > 0 else { return nil }
        let descriptor = open("/proc/\(pid)/comm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 1 else { return nil }
        return String(decoding: bytes.prefix(count).filter { $0 != 10 }, as: UTF8.self)
    }
}
