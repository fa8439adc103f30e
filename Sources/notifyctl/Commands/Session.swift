// What a running command has around it: the options of every command, standard output, the watch, and the way to the
// daemon.

import Glibc
import Notify

/// The surroundings of one running command.
struct Session: Sendable {
    var options: GlobalOptions
    var standard: StandardDescriptors
    var watch: Watch

    /// The end of a pipeline: quiet, unless whoever started us ignores SIGPIPE and so wants to hear of it.
    var readerIsGone: Failure {
        standard.ignoresPipeSignal ? Failure(.inputOutput, "standard output: its reader is gone") : .readerIsGone
    }

    func makeOutput() -> Output { Output(STDOUT_FILENO, standard) }

    var style: Style {
        Style(options.color, isTerminal: Terminal.isThere(STDOUT_FILENO), environment: Terminal.environment)
    }

    /// A center for the chosen socket; nothing is connected yet.
    func makeCenter(
        reconnects: Bool = false, onDiagnostic: (@Sendable (NotifyCenter.Diagnostic) -> Void)? = nil
    ) -> NotifyCenter {
        let configuration = NotifyCenter.Configuration(
            name: "notifyctl", connectTimeout: options.connectTimeout, reconnects: reconnects,
            requestTimeout: options.connectTimeout, onDiagnostic: onDiagnostic)
        return NotifyCenter(endpoint: options.endpoint, configuration: configuration)
    }

    /// A center for one request, which connects with it; nobody waits for the daemon twice.
    func connect() async throws(Failure) -> NotifyCenter {
        let center = makeCenter()
        if options.isVerbose { try await ready(center) }
        return center
    }

    /// Waits for the daemon, and says on `-v` which one it is.
    func ready(_ center: NotifyCenter) async throws(Failure) {
        do {
            try await center.ready()
        } catch {
            throw Failure(error)
        }
        if options.isVerbose, let server = center.server {
            Diagnostics.say("connected to \(Printable.text(server.socketPath)) (\(Printable.text(server.version)))")
        }
    }

    /// Takes leave of the daemon.
    func close(_ center: NotifyCenter) async { await center.shutdown(drainingFor: .seconds(1)) }
}
