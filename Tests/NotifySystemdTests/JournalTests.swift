// Whether stderr is the journal's. That entries arrive with their fields is tested under a real systemd (SystemdTests).

import CSystemd
import Glibc
import Testing

@testable import NotifySystemd

struct JournalTests {
    private func identity(of descriptor: Int32) -> (device: UInt, inode: UInt) {
        var status = stat()
        fstat(descriptor, &status)
        return (status.st_dev, status.st_ino)
    }

    @Test("The stream is the journal's when device and inode are those that were announced")
    func match() {
        var pair: [Int32] = [0, 0]
        socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair)
        defer { pair.forEach { close($0) } }
        let (device, inode) = identity(of: pair[0])
        #expect(Journal.isStream("\(device):\(inode)", descriptor: pair[0]))
        #expect(!Journal.isStream("\(device):\(inode)", descriptor: pair[1]), "stderr was redirected since")
        #expect(!Journal.isStream("\(device + 1):\(inode)", descriptor: pair[0]))
    }

    @Test("Anything malformed is no match", arguments: ["", ":", "1", "1:", ":1", "1:2:3", "a:b", " 1:2", "-1:2"])
    func malformed(_ stream: String) {
        #expect(!Journal.isStream(stream, descriptor: STDERR_FILENO))
    }

    @Test("A closed descriptor is no match")
    func closed() {
        #expect(!Journal.isStream("1:2", descriptor: -1))
    }

    @Test(
        "Field names are those that journald keeps",
        arguments: [
            ("A", true), ("NOTIFYD_CLIENT_PID", true), ("N1", true), (String(repeating: "A", count: 64), true),
            (String(repeating: "A", count: 65), false), ("", false), ("_PID", false), ("1A", false), ("a", false),
            ("A B", false), ("A=B", false), ("Ä", false),
        ])
    func fieldName(_ name: String, kept: Bool) {
        #expect(Journal.isFieldName(name) == kept)
    }
}
