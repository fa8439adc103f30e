// The journal, when stderr is connected to it: there a log line can carry fields (`journalctl NOTIFYD_CHANNEL=a.b`).
// Anywhere else (a terminal, a file, a pipe) log lines are plain text on stderr, and this file has no part in it.

import CSystemd
import Glibc

package enum Journal {
    /// Whether `descriptor` is the stream that systemd connected to the journal. JOURNAL_STREAM alone says nothing: it
    /// is inherited, also by a process whose stderr was redirected since; device and inode have to match.
    package static func isConnected(to descriptor: Int32 = STDERR_FILENO) -> Bool {
        guard let value = getenv("JOURNAL_STREAM") else { return false }
        return isStream(String(cString: value), descriptor: descriptor)
    }

    /// `stream` is DEVICE:INODE, both decimal.
    static func isStream(_ stream: String, descriptor: Int32) -> Bool {
        let parts = stream.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let device = UInt(parts[0]), let inode = UInt(parts[1]) else { return false }
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_dev == device && status.st_ino == inode
    }

    /// Writes one entry: priority 0 (emergency) … 7 (debug), the text, and fields named as journald wants them
    /// (`NOTIFYD_CLIENT_PID`). Values are binary-safe: a newline in one cannot forge another field. False when the
    /// journal did not take it.
    package static func send(priority: Int32, message: String, fields: [(String, String)] = []) -> Bool {
        var entry = ["MESSAGE=\(message)", "PRIORITY=\(priority)"]
        for (name, value) in fields {
            precondition(isFieldName(name), "\(name) is no journal field name: A–Z, 0–9, _, a letter first, at most 64")
            entry.append("\(name)=\(value)")
        }
        let bytes = Array(entry.joined().utf8)
        return bytes.withUnsafeBytes { storage in
            var start = 0
            let vectors = entry.map { field in
                let count = field.utf8.count
                defer { start += count }
                return iovec(iov_base: UnsafeMutableRawPointer(mutating: storage.baseAddress! + start), iov_len: count)
            }
            return csystemd_journal_sendv(vectors, Int32(vectors.count)) == 0
        }
    }

    /// journald drops a field with another name without a word.
    static func isFieldName(_ name: String) -> Bool {
        let letters = UInt8(ascii: "A")...UInt8(ascii: "Z")
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard let first = name.utf8.first, letters.contains(first), name.utf8.count <= 64 else { return false }
        return name.utf8.allSatisfy { letters.contains($0) || digits.contains($0) || $0 == UInt8(ascii: "_") }
    }
}
