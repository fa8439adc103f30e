// A directory of a test's own, removed with everything in it when the last reference goes. Its path is short: a socket
// in it fits into a socket address.

package import Foundation

package final class TemporaryDirectory: Sendable {
    package let url: URL

    package init() throws {
        var template = Array("/tmp/notify-test.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        url = URL(filePath: String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self))
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    package func path(_ name: String) -> String {
        url.appending(path: name).path
    }
}
