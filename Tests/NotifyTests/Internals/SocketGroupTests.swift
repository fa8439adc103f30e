// Which group somebody without permission is told to join.

import Foundation
import NotifyTestSupport
import Testing

@testable import Notify

struct SocketGroupTests {
    @Test func `a group is named only if its members may write`() throws {
        let directory = try TemporaryDirectory()
        let file = directory.path("socket")
        try Data().write(to: URL(filePath: file))
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        let group = try #require(attributes[.groupOwnerAccountName] as? String)
        for (mode, isNamed) in [(0o660, true), (0o620, true), (0o600, false), (0o640, false)] as [(mode_t, Bool)] {
            #expect(chmod(file, mode) == 0)
            #expect(SocketGroup.name(of: file) == (isNamed ? group : nil), "\(String(mode, radix: 8))")
        }
        #expect(SocketGroup.name(of: directory.path("none")) == nil)
    }
}
