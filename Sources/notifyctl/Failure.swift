// Why a command ends early: a status, and the sentence for stderr that says what was wrong and why.

/// The reason a command ends with anything but success.
struct Failure: Error, Equatable, Sendable {
    var status: ExitCode
    /// `WHAT: WHY`, without the program's name; nil: nothing is said.
    var text: String?

    init(_ status: ExitCode, _ text: String?) {
        self.status = status
        self.text = text
    }

    /// A mistake on the command line.
    static func usage(_ text: String) -> Failure { Failure(.usage, text) }

    /// The reader of our output is gone: the quiet end of a pipeline.
    static let readerIsGone = Failure(.done, nil)
}
