// The programs beside this file look at the modules that were built beside the tests.

import Foundation
import NotifyTestSupport

enum Interface {
    static func run(_ program: String, _ arguments: String...) async throws -> Command.Outcome {
        try await run(program, arguments)
    }

    static func run(_ program: String, _ arguments: [String]) async throws -> Command.Outcome {
        try await Command.run(
            "python3",
            ["-B", Checkout.root.appending(path: "Tests/InterfaceTests/\(program)").path, Checkout.products.path]
                + arguments,
            directory: Checkout.root)
    }
}
