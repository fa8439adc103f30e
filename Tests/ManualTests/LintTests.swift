// Whether the pages are good mdoc: for those who have mandoc, and for groff, which man(1) calls on Debian.

import Foundation
import NotifyTestSupport
import Testing

@Suite("The manual pages")
struct LintTests {
    @Test("are those that the README and `make install` know of")
    func names() {
        #expect(ManualPage.names == ["notifyctl.1", "notifyd-protocol.7", "notifyd.8", "notifyd.conf.5"])
    }

    @Test("are what mandoc does not warn of", arguments: ManualPage.names)
    func mandoc(page: String) async throws {
        let outcome = try await Command.run("mandoc", ["-T", "lint", "-W", "warning", path(page)])
        #expect(outcome.status == 0 && outcome.output == "" && outcome.errors == "", "\(outcome.summary)")
    }

    @Test("are what groff does not warn of", arguments: ManualPage.names)
    func groff(page: String) async throws {
        let outcome = try await Command.run("groff", ["-mdoc", "-ww", "-z", "-T", "utf8", path(page)])
        #expect(outcome.status == 0 && outcome.output == "" && outcome.errors == "", "\(outcome.summary)")
    }

    @Test("have the version of the programs", arguments: ManualPage.names)
    func version(page: String) async throws {
        let told = try await Command.run(Checkout.program("notifyd"), ["--version"])
        let version = told.output.trimmingCharacters(in: .newlines)
        #expect(try ManualPage(page).lines.contains(".Os \"\(version)\""), "\(version)")
    }

    @Test("refer to each other by their right names", arguments: ManualPage.names)
    func references(page: String) throws {
        let lines = try ManualPage(page).lines.filter { $0.hasPrefix(".Xr notify") }
        #expect(!lines.isEmpty)
        for line in lines {
            let words = MdocLine.words(line)
            #expect(ManualPage.names.contains("\(words[1]).\(words[2])"), "\(line)")
        }
    }

    private func path(_ page: String) -> String {
        Checkout.root.appending(path: "\(ManualPage.folder)/\(page)").path
    }
}
