// How a center behaves.

extension NotifyCenter {
    /// How a center behaves.
    public struct Configuration: Sendable {
        /// The name that the daemon's lists show for this connection; the process name unless said otherwise.
        public var name: String?
        /// How long a connection may take, the daemon's first answer included, and how long requests wait for the
        /// daemon to come back.
        public var connectTimeout: Duration
        /// Whether the center comes back after the daemon was lost. If not, the first loss ends everything with
        /// `notConnected`.
        public var reconnects: Bool
        /// How long an answer may take before the call fails with `timedOut`; nil: for ever. A daemon answers within
        /// milliseconds: half a minute means that it hangs or has been stopped.
        public var requestTimeout: Duration?
        /// Called with each thing that went wrong without an error to throw, on a thread of the library.
        public var onDiagnostic: (@Sendable (Diagnostic) -> Void)?

        /// Makes a configuration.
        public init(
            name: String? = nil, connectTimeout: Duration = .seconds(5), reconnects: Bool = true,
            requestTimeout: Duration? = .seconds(30), onDiagnostic: (@Sendable (Diagnostic) -> Void)? = nil
        ) {
            self.name = name ?? Self.processName
            self.connectTimeout = connectTimeout
            self.reconnects = reconnects
            self.requestTimeout = requestTimeout
            self.onDiagnostic = onDiagnostic
        }

        private static var processName: String? {
            guard let path = CommandLine.arguments.first, let name = path.split(separator: "/").last else {
                return nil
            }
            return String(name)
        }
    }
}
