// Centers that a busy machine does not make give up: what a test waits for has an end in the test's own time limit.

import Notify

extension NotifyCenter {
    /// Waits for a daemon, or who plays one, however late it is.
    static func patient(
        at path: String, reconnects: Bool = true, requestTimeout: Duration? = nil,
        onDiagnostic: (@Sendable (Diagnostic) -> Void)? = nil
    ) -> NotifyCenter {
        NotifyCenter(
            endpoint: .socket(path: path),
            configuration: Configuration(
                connectTimeout: .seconds(600), reconnects: reconnects, requestTimeout: requestTimeout,
                onDiagnostic: onDiagnostic))
    }
}
