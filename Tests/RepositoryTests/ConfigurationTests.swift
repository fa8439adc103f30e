// config/notifyd.json5 claims to be accepted as it stands and to show the defaults. Here the daemon is asked.

import Foundation
import NotifyTestSupport
import Testing

struct ConfigurationTests {
    private let example = Checkout.root.appending(path: "config/notifyd.json5")

    @Test("The daemon accepts the example")
    func accepted() async throws {
        let outcome = try await Command.run(
            Checkout.program("notifyd"), ["--check-config", "--config", example.path])
        #expect(outcome.status == 0, "\(outcome.summary)")
    }

    @Test("The example shows every key at its default")
    func defaults() async throws {
        // An empty file stands for none: what this machine has in /etc must not count.
        let directory = try TemporaryDirectory()
        let empty = directory.url.appending(path: "empty.json5")
        try Data("{}".utf8).write(to: empty)
        let printed = try await Command.run(Checkout.program("notifyd"), ["--print-config", "--config", empty.path])
        #expect(printed.status == 0, "\(printed.summary)")

        var defaults = try keys(of: Data(printed.output.utf8))
        // Stated in words and commented out: it depends on who starts the daemon.
        defaults["socket"] = nil
        #expect(try keys(of: Data(contentsOf: example)) == defaults)
    }

    /// `limits.clients`: `32768`, and so on.
    private func keys(of json: Data) throws -> [String: String] {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        return try decoder.decode(Value.self, from: json).flattened(at: "")
    }

    private enum Value: Decodable {
        case object([String: Value])
        case plain(String)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let object = try? container.decode([String: Value].self) {
                self = .object(object)
            } else if let number = try? container.decode(Int.self) {
                self = .plain("\(number)")
            } else if let array = try? container.decode([Value].self) {
                self = .plain("\(array.count) elements")
            } else {
                self = .plain("\"\(try container.decode(String.self))\"")
            }
        }

        func flattened(at path: String) -> [String: String] {
            switch self {
            case .plain(let text): return [path: text]
            case .object(let members):
                return members.reduce(into: [:]) { result, member in
                    let place = path.isEmpty ? member.key : "\(path).\(member.key)"
                    result.merge(member.value.flattened(at: place)) { $1 }
                }
            }
        }
    }
}
