// Where messages go: to standard output, or to a command each.

import Notify

/// Takes the messages of `listen`.
struct ListenSink: ~Copyable {
    private let printer: RecordPrinter
    private var output: Output
    private let jobs: Jobs?

    init(_ printer: RecordPrinter, _ output: consuming Output, _ jobs: Jobs?) {
        self.printer = printer
        self.output = output
        self.jobs = jobs
    }

    mutating func take(_ message: NotifyCenter.RawMessage) async throws(Failure) {
        if let jobs {
            try await jobs.run(MessageFields(message))
            return
        }
        output.add { printer.append(message, to: &$0) }
    }

    var pendingBytes: Int { output.pendingBytes }

    mutating func flush() throws(Failure) { try output.flush() }
}
