// The compiler, as a client of the modules that were built beside the tests has it.

import Foundation
import NotifyTestSupport
import Testing

enum Compiler {
    /// Whether it is the one whose wording stands in the files here: others print declarations and complaints in their own.
    static let isTheKnownOne: Bool = {
        #if compiler(>=6.3) && compiler(<6.4)
            true
        #else
            false
        #endif
    }()

    static let unknown: Comment = "what the compiler says is written down as Swift 6.3 says it"

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
