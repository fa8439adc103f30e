// notifyd: reads the command line, finds its sockets and its configuration, and lets the daemon run.

import Glibc
import NotifyBroker
import NotifyDaemon
import NotifySystemd
import NotifyTransport

@main
struct Notifyd {
    static func main() {
        fillStandardDescriptors()
        // libdispatch tries to raise the priority of a thread of its own, may not, and tells the system's log at each
        // start. What else it has to say comes with a crash.
        setenv("LIBDISPATCH_LOG", "NO", 0)
        do throws(Failure) {
            try run(Options.parse(CommandLine.arguments))
        } catch {
            error.tell()
            exit(error.status.rawValue)
        }
        exit(0)
    }

    private static func run(_ options: Options) throws(Failure) {
        switch options.action {
        case .help: return print(Options.help, terminator: "")
        case .version: return print("notifyd \(Broker.version)")
        case .checkConfiguration:
            _ = try load(options)
            print("ok: \(try files(options).printable)")
        case .printConfiguration:
            print(try load(options).description)
        case .serve:
            try serve(options)
        }
    }

    private static func load(_ options: Options) throws(Failure) -> Configuration {
        do throws(ConfigurationError) {
            return try read(options)
        } catch {
            throw Failure(.configuration, "configuration: \(error)")
        }
    }

    /// What was read.
    private static func files(_ options: Options) throws(Failure) -> String {
        do throws(ConfigurationError) {
            let files = try ConfigurationLoader(file: options.configurationFile).files()
            return files.isEmpty ? "no file, all defaults" : files.joined(separator: ", ")
        } catch {
            throw Failure(.configuration, "configuration: \(error)")
        }
    }

    /// What the command line says counts instead of what the files say, also when they are read anew.
    private static func read(_ options: Options) throws(ConfigurationError) -> Configuration {
        var configuration = try ConfigurationLoader(file: options.configurationFile).load()
        if let level = options.logLevel { configuration.logLevel = level }
        if let socket = options.socket { configuration.socket = socket }
        return configuration
    }

    private static func serve(_ options: Options) throws(Failure) {
        let configuration = try load(options)
        let log = Log(level: configuration.logLevel)
        defer { log.flush() }
        // Both change what all threads share, so they come first.
        let passed = try activationSockets()
        let signals: Int32
        do throws(SystemError) {
            signals = try Signals.take()
        } catch {
            throw Failure(.software, "\(error)")
        }
        let listeners = try Sockets.listeners(passed: passed, configuration)
        let parts = Daemon.Parts(
            listeners: listeners, configuration: configuration, signals: signals, log: log,
            loadConfiguration: { () throws(ConfigurationError) in try read(options) })
        log.notice("notifyd \(Broker.version) serves \(Sockets.describe(listeners))")
        do throws(SystemError) {
            try Daemon.run(parts)
        } catch {
            throw Failure(.software, "\(error)")
        }
    }

    private static func activationSockets() throws(Failure) -> [ActivationSocket] {
        do throws(ActivationError) {
            return try ActivationSockets.take()
        } catch {
            throw Failure(.cannotBind, "socket activation: \(error)")
        }
    }

    /// A daemon started with closed standard descriptors must not have a socket under their numbers.
    private static func fillStandardDescriptors() {
        var fd: Int32
        repeat { fd = open("/dev/null", O_RDWR) } while 0...2 ~= fd
        if fd > 2 { close(fd) }
    }
}
