// How notifyctl ends: sysexits(3) and timeout(1), one table. Death by a signal is not in it: the signal is raised again.

/// An exit status of notifyctl.
enum ExitCode: Int32, Sendable, CaseIterable {
    /// Done (for `listen --count`: all of them came).
    case done = 0
    /// The daemon refused for a reason that has no status of its own.
    case refused = 1
    /// The command line is wrong.
    case usage = 64
    /// The payload or the input is not valid JSON, or too long.
    case data = 65
    /// No daemon there, or it went away.
    case unavailable = 69
    /// Our own fault.
    case software = 70
    /// Reading input or writing output failed.
    case inputOutput = 74
    /// A quota or a rate limit, or the daemon cannot write to its disk for now: try again.
    case temporary = 75
    /// Messages were lost (`--fail-on-gap`), or would have been (`--buffer=fail`).
    case lost = 76
    /// Denied by the access rules or by the socket's mode.
    case denied = 77
    /// Nobody was listening (`--require-subscribers`).
    case nobody = 79
    /// `--timeout` ran out.
    case timedOut = 124

    /// What the status means, for `--help`.
    var meaning: String {
        switch self {
        case .done: "done"
        case .refused: "the daemon refused"
        case .usage: "wrong usage"
        case .data: "the payload or input is not valid JSON"
        case .unavailable: "no daemon there, or it went away"
        case .software: "a fault in notifyctl"
        case .inputOutput: "reading input or writing output failed"
        case .temporary: "quota, rate limit, or the daemon cannot write to its disk: try again"
        case .lost: "messages were lost (--fail-on-gap, --buffer=fail)"
        case .denied: "denied"
        case .nobody: "nobody was listening (--require-subscribers)"
        case .timedOut: "the time ran out"
        }
    }
}
