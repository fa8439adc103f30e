// Where the daemon listens.

extension NotifyCenter {
    /// Where the daemon listens.
    public struct Endpoint: Sendable, Hashable, CustomStringConvertible {
        enum Place: Sendable, Hashable {
            case automatic
            case user
            case system
            case path(String)
        }

        let place: Place

        /// `$NOTIFYD_SOCKET` if it is set and not empty, else the user's daemon if it is there, else the system's.
        public static let `default` = Endpoint(place: .automatic)
        /// The user's daemon: `$XDG_RUNTIME_DIR/notifyd/socket`.
        public static let user = Endpoint(place: .user)
        /// The system's daemon: `/run/notifyd/socket`.
        public static let system = Endpoint(place: .system)

        /// A socket file, or `@name` for an abstract socket.
        public static func socket(path: String) -> Endpoint {
            Endpoint(place: .path(path))
        }

        /// The sockets that are tried, in this order; none: it names none here.
        package func socketPaths(environment: (String) -> String?) -> [String] {
            (try? Places(self, environment: environment).paths) ?? []
        }

        /// In words, or the path.
        public var description: String {
            switch place {
            case .automatic: "the default socket"
            case .user: "the user's socket"
            case .system: "the system's socket"
            case .path(let path): path
            }
        }
    }
}
