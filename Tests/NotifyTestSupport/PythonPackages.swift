// Packages of Python's that judge what the programs print: others' parsers and a terminal that is none of ours. They are
// installed once, beside the built programs; where that cannot be done, the tests that want them are skipped.

import Foundation

package enum PythonPackages {
    private static let names = ["prometheus_client", "pyte"]

    private static let installation = Task { await install() }

    /// A Python that has the packages; nil: they cannot be installed here.
    package static var python: String? {
        get async { await installation.value }
    }

    private static func install() async -> String? {
        let directory = Checkout.products.appending(path: "python-packages").path
        let python = directory + "/bin/python3"
        let imports = names.map { "import \($0)" }.joined(separator: "; ")
        if await succeeds(python, ["-c", imports]) { return python }
        guard await succeeds("python3", ["-m", "venv", directory]),
            await succeeds(python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"] + names),
            await succeeds(python, ["-c", imports])
        else { return nil }
        return python
    }

    private static func succeeds(_ program: String, _ arguments: [String]) async -> Bool {
        (try? await Command.run(program, arguments))?.status == 0
    }
}
