// The compiler, as a client of the modules that were built beside the tests has it.

import Foundation
import NotifyTestSupport

enum Compiler {
    /// Compiles sources in Swift 6 mode. `arguments` says how far.
    static func run(_ arguments: [String], _ sources: [String]) async throws -> Command.Outcome {
        try await Command.run(
            "swiftc",
            [
                "-swift-version", "6", "-parse-as-library",
                "-I", Checkout.products.appending(path: "Modules").path,
                "-I", Checkout.root.appending(path: "Sources").path,
            ] + arguments + sources)
    }
}
