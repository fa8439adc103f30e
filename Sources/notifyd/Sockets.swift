// Where to listen: what systemd passed, else --socket or the configuration, else the place for this user.

import Glibc
import NotifyDaemon
import NotifySystemd
import NotifyTransport

enum Sockets {
    static func listeners(
        passed: [ActivationSocket], _ configuration: Configuration
    ) throws(Failure) -> [Listener] {
        guard passed.isEmpty else {
            return passed.map { Listener(descriptor: $0.descriptor, name: $0.name) }
        }
        let path = if let chosen = configuration.socket { chosen } else { try defaultPath() }
        let address: SocketAddress
        do throws(SocketAddress.Fault) {
            address = try SocketAddress(path)
        } catch {
            throw Failure(.cannotBind, error.description)
        }
        return [try bind(address, configuration.mode)]
    }

    private static func bind(_ address: SocketAddress, _ mode: UInt32) throws(Failure) -> Listener {
        do throws(ListeningSocket.Fault) {
            return Listener(try ListeningSocket(binding: address, mode: mode))
        } catch {
            if case .inUse = error { throw Failure(.unavailable, error.description) }
            throw Failure(.cannotBind, error.description)
        }
    }

    /// `/run/notifyd/socket` for root, `$XDG_RUNTIME_DIR/notifyd/socket` for others. The directory is made if its
    /// parent is there.
    private static func defaultPath() throws(Failure) -> String {
        var base = "/run"
        if geteuid() != 0 {
            guard let runtime = getenv("XDG_RUNTIME_DIR").map({ String(cString: $0) }), !runtime.isEmpty else {
                throw Failure(.cannotBind, "no place for the socket: set XDG_RUNTIME_DIR or use --socket PATH")
            }
            base = runtime
        }
        let directory = base + "/notifyd"
        if mkdir(directory, geteuid() == 0 ? 0o755 : 0o700) != 0, errno != EEXIST {
            throw Failure(.cannotBind, "cannot make \(directory): \(String(cString: strerror(errno)))")
        }
        return directory + "/socket"
    }

    static func describe(_ listeners: [Listener]) -> String {
        listeners.map { listener in
            switch listener.origin {
            case .own(let socket): socket.address.description
            case .systemd(let name): "socket '\(name)' of systemd"
            }
        }.joined(separator: ", ")
    }
}
