// `--timeout` and `--idle`: two deadlines of the watch. Idle time counts while we wait for the daemon, not while we
// write or wait for a command: messages may well be waiting then.

/// Ends `listen` in time.
struct ListenClock: Sendable {
    private let timeout: Duration?
    private let idle: Duration?
    private let idleStatus: ExitCode
    private let watch: Watch
    private let end: @Sendable (ExitCode) -> Void

    init(_ options: ListenOptions, _ watch: Watch, end: @escaping @Sendable (ExitCode) -> Void) {
        timeout = options.timeout
        idle = options.idle
        idleStatus = options.count == nil ? .done : .timedOut
        self.watch = watch
        self.end = end
    }

    func start() {
        guard let timeout else { return }
        watch.set("timeout", after: timeout) { [end] in end(.timedOut) }
    }

    /// From here on the daemon is waited for.
    func waits() {
        guard let idle else { return }
        watch.set("idle", after: idle) { [end, idleStatus] in end(idleStatus) }
    }

    /// All that was asked for has come: however long its handling takes, that is no time-out.
    func stop() {
        watch.cancel("timeout")
        watch.cancel("idle")
    }

    /// Something came.
    func works() {
        if idle != nil { watch.cancel("idle") }
    }
}
