// Whether a daemon serves a socket now, found out without touching it: to connect to a socket of systemd's is to start
// the daemon. So the kernel and systemd are asked what is going on already, and one of these is enough:
//
// - somebody holds the lock file beside the socket: a daemon has bound it itself (/proc/locks);
// - somebody has accepted a connection on it that still stands (/proc/net/unix): only a daemon does that;
// - the unit notifyd.service of that manager is running: it has an invocation.

import Glibc

/// Looks for a daemon behind a socket.
struct RunningDaemon {
    /// The text of a file.
    var read: (String) -> String? = Self.contents
    /// The number of a file, also of one that may not be read.
    var number: (String) -> UInt64? = Self.inode
    /// Whether there is something of this name, be it a link to nowhere.
    var exists: (String) -> Bool = { Self.status($0) != nil }
    /// The path without links.
    var resolve: (String) -> String? = Self.realPath

    /// The socket that a command would use, if a daemon serves it: the first of them where somebody listens. systemd may be
    /// the one that does, and then another daemon's answer would be wrong.
    func socket(of sockets: [String]) -> String? {
        sockets.first { serves($0) || isListening($0) }.flatMap { serves($0) ? $0 : nil }
    }

    func serves(_ socket: String) -> Bool {
        let place = resolve(socket) ?? socket
        return isLocked(place + ".lock") || hasRow([socket, place]) { $0.state == "03" && $0.inode != "0" }
            || hasUnit(place)
    }

    private func isLocked(_ file: String) -> Bool {
        guard let number = number(file), let locks = read("/proc/locks") else { return false }
        // `1: FLOCK  ADVISORY  WRITE 4711 00:19:33467 0 EOF`. The device is not compared: file systems of several
        // devices show another one here than there.
        return locks.split(separator: "\n").contains { line in
            let fields = line.split(separator: " ")
            return fields.count > 5 && fields[1] == "FLOCK" && fields[3] == "WRITE"
                && fields[5].split(separator: ":").last == Substring(String(number))
        }
    }

    private func isListening(_ socket: String) -> Bool {
        hasRow([socket, resolve(socket) ?? socket]) { $0.flags == "00010000" }
    }

    /// `…: RefCount Protocol Flags Type St Inode Path`: a socket that listens has a flag; state 03 is connected, and what has
    /// not been accepted yet has no inode.
    private func hasRow(
        _ names: Set<String>, where fits: ((flags: Substring, state: Substring, inode: Substring)) -> Bool
    ) -> Bool {
        guard let sockets = read("/proc/net/unix") else { return false }
        return sockets.split(separator: "\n").contains { line in
            let fields = line.split(separator: " ", maxSplits: 7)
            return fields.count == 8 && names.contains(String(fields[7])) && fits((fields[3], fields[5], fields[6]))
        }
    }

    /// systemd keeps a link for each unit that runs beside the place where our units have the socket.
    private func hasUnit(_ socket: String) -> Bool {
        let place = "/notifyd/socket"
        guard socket.hasSuffix(place) else { return false }
        return exists(socket.dropLast(place.count) + "/systemd/units/invocation:notifyd.service")
    }

    private static func contents(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = Glibc.read(file, &chunk, chunk.count), count > 0 { bytes += chunk.prefix(count) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func status(_ path: String) -> stat? {
        var found = stat()
        return lstat(path, &found) == 0 ? found : nil
    }

    private static func inode(_ path: String) -> UInt64? { status(path).map { UInt64($0.st_ino) } }

    private static func realPath(_ path: String) -> String? {
        guard !path.hasPrefix("@"), let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }
}
