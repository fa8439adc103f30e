// The end of a connection, as its link sees it: a socket on the event loop, or memory where a test has the daemon in its
// own process. Everything but `execute` is called where the port lives, one call at a time.

protocol Port: AnyObject, Sendable {
    /// Runs `body` where the port lives, after what was submitted before it.
    func execute(_ body: @escaping @Sendable () -> Void)

    /// Tries to reach the daemon and tells the link what came of it.
    func connect(_ endpoint: NotifyCenter.Endpoint, to chosen: String?)

    /// Closes the connection.
    func drop()

    /// The link is gone.
    func retire()

    /// Whether to be told when the connection takes bytes again.
    func watchOutput(_ wanted: Bool)

    /// Whether to read. What comes meanwhile waits on its way, and then in the daemon.
    func watchInput(_ wanted: Bool)

    /// The link's `tick` is called once, at or after this time.
    func setDeadline(_ time: UInt64)
}

enum ConnectionAttempt {
    /// The number is what `send` takes.
    case connected(Int32, path: String)
    case busy(NotifyError)
    case failed(NotifyError)
}
