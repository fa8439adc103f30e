// A center for a test, in one line.

public import Notify

extension NotifyCenter {
    /// Makes a center for a test: private to it, joined to the daemon's own code in memory. There is no socket and no
    /// daemon's process, and nothing that other tests could see.
    ///
    /// For several programs that talk to each other make an ``InProcessDaemon`` and let it make the centers.
    public static func inProcess(
        clock: ManualClock = ManualClock(), configuration: Configuration = Configuration()
    ) -> NotifyCenter {
        InProcessDaemon(clock: clock).makeCenter(configuration: configuration)
    }

    /// The daemon in memory that this center is joined to.
    ///
    /// - Precondition: the center was made for a test.
    public var inProcessDaemon: InProcessDaemon { inProcessClient.daemon }

    /// Waits until what was posted has been delivered: see ``InProcessDaemon/settle()``.
    ///
    /// - Precondition: the center was made for a test.
    public func settle() async {
        await inProcessDaemon.settle()
    }

    /// The center loses its connection: see ``InProcessDaemon/simulateDisconnect(of:for:)``.
    ///
    /// - Precondition: the center was made for a test.
    public func simulateDisconnect(for duration: Duration = .zero) async {
        await inProcessDaemon.simulateDisconnect(of: self, for: duration)
    }

    /// The center's subscriptions lose messages: see ``InProcessDaemon/simulateOverflow(of:losing:)``.
    ///
    /// - Precondition: the center was made for a test.
    public func simulateOverflow(losing count: Int = 1) async {
        await inProcessDaemon.simulateOverflow(of: self, losing: count)
    }

    var inProcessClient: Client {
        guard let client = local as? Client else {
            preconditionFailure("this center belongs to a real daemon: only one of NotifyCenter.inProcess can do this")
        }
        return client
    }
}
