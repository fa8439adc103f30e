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

    /// A center for one request, which connects with it; nobody waits for the daemon twice. If the daemon goes before it
    /// has answered, what does no harm twice is asked of the next one, also when `-v` has had an answer already.
    func connect(reconnects: Bool = true) async throws(Failure) -> NotifyCenter {
        if options.isVerbose { return try await open(reconnects: reconnects) }
        try await awaitDaemon()
        return makeCenter(reconnects: reconnects)
    }

    /// A center that has its daemon.
    func open(reconnects: Bool = false) async throws(Failure) -> NotifyCenter {
        try await awaitDaemon()
        let center = makeCenter(reconnects: reconnects)
        try await ready(center)
        return center
    }

    /// Waits for the daemon to answer, and says on `-v` which one it is.
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

    /// With `--wait-for-daemon`, returns once there is one. It is looked for by a center of its own, before there is another:
    /// one that does not come back would be at its end with the first try, and one that does would tell of each.
    func awaitDaemon() async throws(Failure) {
        guard let patience = options.wait else { return }
        var end: ContinuousClock.Instant?
        if case .atMost(let limit) = patience { end = .now + limit }
        let scout = makeCenter(reconnects: true)
        var isFirst = true
        while true {
            do throws(NotifyError) {
                try await scout.ready()
                return await close(scout)
            } catch {
                let failure = Failure(error)
                // Another reason does not pass by itself.
                guard failure.status == .unavailable, end.map({ .now < $0 }) ?? true else { throw failure }
                if isFirst, let text = failure.text { Diagnostics.say("\(text); waiting for it") }
                isFirst = false
                let pause = ContinuousClock.now + .milliseconds(100)
                try? await Task.sleep(until: min(pause, end ?? pause), clock: .continuous)
            }
        }
    }

    /// Takes leave of the daemon.
    func close(_ center: NotifyCenter) async { await center.shutdown(drainingFor: .seconds(1)) }
}
