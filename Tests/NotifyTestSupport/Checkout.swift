// Where the tests stand: the checkout that they were compiled from, and the programs built beside them.

package import Foundation

package enum Checkout {
    /// The directory of Package.swift.
    package static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The directory that the test runner was built into, and with it notifyd, notifyctl and the test programs.
    package static let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()

    /// A program built from this package.
    package static func program(_ name: String) -> String {
        products.appending(path: name).path
    }

    package static func text(of path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }
}
