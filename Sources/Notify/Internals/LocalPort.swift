// The connection's end in memory. The bytes are those that would go through a socket, and take the same way from here.

package final class LocalPort: Port, @unchecked Sendable {
    /// What stands where a socket's path would.
    static let place = "in-process"

    private let daemon: any LocalDaemon
    private weak let link: Link?
    private var connection: Int32?
    private var intake = Intake()
    /// Whether bytes are taken: while not, they wait in the daemon.
    package private(set) var isReading = true

    /// On any thread.
    init(daemon: any LocalDaemon, link: Link) {
        self.daemon = daemon
        self.link = link
    }

    func execute(_ body: @escaping @Sendable () -> Void) {
        daemon.execute(body)
    }

    /// Later, because the daemon may be in the middle of something.
    func connect(_ endpoint: NotifyCenter.Endpoint, to chosen: String?) {
        daemon.execute { self.connect() }
    }

    private func connect() {
        guard let link else { return }
        drop()
        do throws(NotifyError) {
            let connection = try daemon.connect(self)
            self.connection = connection
            isReading = true
            link.attempted(.connected(connection, path: Self.place))
        } catch {
            link.attempted(.failed(error))
        }
    }

    func drop() {
        guard let connection else { return }
        self.connection = nil
        intake = Intake()
        let daemon = daemon
        daemon.execute { daemon.disconnect(connection) }
    }

    func retire() {
        drop()
        daemon.retire(self)
    }

    /// The daemon takes any number of bytes.
    func watchOutput(_ wanted: Bool) {}

    func watchInput(_ wanted: Bool) {
        isReading = wanted
        guard wanted, let connection else { return }
        let daemon = daemon
        daemon.execute { daemon.resume(connection) }
    }

    func setDeadline(_ time: UInt64) {
        daemon.setDeadline(time, for: self)
    }

    // MARK: What the daemon tells it

    /// Bytes have come on the connection.
    package func receive(_ bytes: [UInt8], on connection: Int32) {
        guard connection == self.connection else { return }
        guard let link else { return drop() }
        intake.fill(bytes)
        guard let read = intake.lines() else { return }
        link.received(read)
        if let failure = read.failure { link.lost(failure) }
    }

    /// The daemon has closed the connection.
    package func hangUp(_ connection: Int32) {
        guard connection == self.connection else { return }
        self.connection = nil
        intake = Intake()
        link?.lost(nil)
    }

    package func deadlineReached() {
        link?.tick()
    }

    /// The daemon can be reached again: the center need not wait for its next try.
    package func retry() {
        link?.retry()
    }
}
