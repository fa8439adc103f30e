// The options that every command takes, in front of its name or after it: which daemon, how patiently, how colourful.

import Notify

/// The options of every command.
struct GlobalOptions: Sendable, Equatable {
    /// Which socket to use.
    enum Place: Sendable, Equatable {
        case standard, user, system
        case socket(String)
    }

    /// How long to wait.
    enum Patience: Sendable, Equatable {
        case forever
        case atMost(Duration)
    }

    var place = Place.standard
    var connectTimeout = Duration.seconds(5)
    /// How long a daemon that is not there is waited for; nil: not at all.
    var wait: Patience?
    var color = Style.Choice.auto
    var isVerbose = false

    static let table: [Option] = [
        .socket, .user, .system, .waitForDaemon, .connectTimeout, .color, .verbose, .help, .version,
    ]

    init() {}

    init(_ arguments: Arguments) throws(Failure) {
        try arguments.exclude([.socket, .user, .system])
        if let path = try arguments.text(.socket) {
            if path.isEmpty { throw .usage("--socket: the path is empty") }
            place = .socket(path)
        } else if arguments.has(.user) {
            place = .user
        } else if arguments.has(.system) {
            place = .system
        }
        connectTimeout = try arguments.duration(.connectTimeout) ?? connectTimeout
        if arguments.has(.waitForDaemon) {
            let isEndless = arguments.word(.waitForDaemon)?.bytes.isEmpty == true
            wait = isEndless ? .forever : try arguments.duration(.waitForDaemon).map { .atMost($0) }
        }
        color = try arguments.choice(.color).flatMap(Style.Choice.init) ?? color
        isVerbose = arguments.has(.verbose)
    }

    /// Where the chosen daemon may be, the likeliest first.
    var sockets: [String] { endpoint.socketPaths(environment: Terminal.environment) }

    var endpoint: NotifyCenter.Endpoint {
        switch place {
        case .standard: .default
        case .user: .user
        case .system: .system
        case .socket(let path): .socket(path: path)
        }
    }
}

extension Option {
    static let socket = Option(
        "socket", .required("PATH"), .file, help: "the daemon's socket; @NAME is an abstract one")
    static let user = Option("user", help: "the user's daemon ($XDG_RUNTIME_DIR/notifyd/socket)")
    static let system = Option("system", help: "the system's daemon (/run/notifyd/socket)")
    static let waitForDaemon = Option(
        "wait-for-daemon", .optional("DUR"), help: "wait until there is one, for ever or so long, instead of status 69")
    static let connectTimeout = Option(
        "connect-timeout", .required("DUR"), help: "how long the daemon may take to answer (default 5s)")
    static let color = Option(
        "color", .required("WHEN"), .words(Style.Choice.allCases.map(\.rawValue)),
        help: "auto (default), always or never")
    static let verbose = Option("verbose", short: "v", help: "say what was done, and through which socket")
    static let help = Option("help", short: "h", help: "show this text")
    static let version = Option("version", help: "show the version")
    static let json = Option("json", help: "JSON for programs")
}
