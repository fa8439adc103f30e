// The command line of notifyd.

import CGetopt
import Glibc
import NotifyDaemon

struct Options {
    enum Action {
        case serve, checkConfiguration, printConfiguration, version, help
    }

    var action = Action.serve
    var configurationFile: String?
    var socket: String?
    var logLevel: Log.Level?

    private static let statuses = Failure.Status.allCases.map { "  \($0.rawValue)  \($0.meaning)" }

    static let help = """
        Usage: notifyd [--config FILE] [--socket PATH] [--log-level LEVEL]
               notifyd --check-config | --print-config [--config FILE]

        Delivers typed notifications between the processes of this host. Sockets come from systemd if it passes
        any, else from --socket or the configuration.

        Options:
          --config FILE      read this file alone, instead of those in /etc/notifyd and /usr/lib/notifyd
          --socket PATH      listen there; @NAME is an abstract socket
          --check-config     say what is wrong with the configuration, or which files are right, and end
          --print-config     print the configuration with all defaults, and end
          --log-level LEVEL  error, warning, notice, info or debug
          --version          print the version
          -h, --help         print this text

        SIGTERM and SIGINT drain and stop; a second one stops at once. SIGHUP reads the configuration again.

        Exit status:
          0   stopped by a signal, or told what was asked for
        \(statuses.joined(separator: "\n"))

        Manual: notifyd(8), notifyd.conf(5)

        """

    private enum Code: Int32, CaseIterable {
        case config = 256, socket, check, print, level, version, help

        var name: StaticString {
            switch self {
            case .config: "config"
            case .socket: "socket"
            case .check: "check-config"
            case .print: "print-config"
            case .level: "log-level"
            case .version: "version"
            case .help: "help"
            }
        }

        var takesArgument: Bool { self == .config || self == .socket || self == .level }
    }

    static func parse(_ arguments: [String]) throws(Failure) -> Options {
        var words = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        let table =
            Code.allCases.map { code in
                option(
                    name: UnsafeRawPointer(code.name.utf8Start).assumingMemoryBound(to: CChar.self),
                    has_arg: code.takesArgument ? required_argument : no_argument, flag: nil, val: code.rawValue)
            } + [option()]
        var options = Options()
        var isFirst = true
        while true {
            let step = cgetopt_next(Int32(arguments.count), &words, ":h", table, isFirst ? 1 : 0)
            isFirst = false
            if step.code == -1 {
                if Int(step.next) < arguments.count {
                    throw usage("unexpected argument '\(String(cString: words[Int(step.next)]!))'")
                }
                return options
            }
            let argument = step.argument.map { String(cString: $0) }
            try options.take(step, argument, word: words[Int(max(1, step.next)) - 1].map { String(cString: $0) } ?? "")
        }
    }

    private mutating func take(_ step: cgetopt_step, _ argument: String?, word: String) throws(Failure) {
        switch step.code {
        case Int32(UInt8(ascii: ":")): throw Self.usage("option '\(word)' needs an argument")
        case Int32(UInt8(ascii: "?")): throw Self.usage(Self.mistake(word))
        case Int32(UInt8(ascii: "h")): action = .help
        default: break
        }
        switch Code(rawValue: step.code) {
        case .config: configurationFile = argument
        case .socket: socket = argument
        case .check: action = .checkConfiguration
        case .print: action = .printConfiguration
        case .version: action = .version
        case .help: action = .help
        case .level:
            guard let level = Log.Level(argument ?? "") else {
                let levels = Log.Level.allCases.map(\.name).joined(separator: ", ")
                throw Self.usage("--log-level: found '\(argument ?? "")', expected one of \(levels)")
            }
            logLevel = level
        case nil: break
        }
    }

    /// An option that getopt did not take.
    private static func mistake(_ word: String) -> String {
        let general = "unknown option, or one that takes no argument: '\(word)'"
        guard word.hasPrefix("--"), !word.contains("=") else { return general }
        let meant = Code.allCases.map { "--\($0.name)" }.nearest(to: word)
        return meant.map { "unknown option '\(word)' (did you mean '\($0)'?)" } ?? general
    }

    private static func usage(_ message: String) -> Failure {
        Failure(.usage, "\(message); see notifyd --help")
    }
}
