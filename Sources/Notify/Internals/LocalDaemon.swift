// What a link needs of a daemon in its own process, in place of the kernel: the time, and a way there. The product
// NotifyTesting has one; nothing else does.

/// One program's way to a daemon in the same process.
package protocol LocalDaemon: AnyObject, Sendable {
    /// The time of the monotonic clock, in nanoseconds.
    var now: UInt64 { get }

    /// Knows what is under way, so that one can wait until nothing is.
    var world: TestWorld { get }

    /// Runs `body` after what was submitted before it, on whatever thread, one at a time.
    func execute(_ body: @escaping @Sendable () -> Void)

    /// Does what there is to do. Called with no lock held.
    func run()

    /// Takes bytes for the daemon. Called under the link's lock: nothing may come of it before `run`.
    func send(_ bytes: UnsafeRawBufferPointer, on connection: Int32)

    // In `execute` only.

    /// A new connection, by its number.
    func connect(_ port: LocalPort) throws(NotifyError) -> Int32
    func disconnect(_ connection: Int32)
    /// The port takes bytes again.
    func resume(_ connection: Int32)
    /// The port's `deadlineReached` is called at this time.
    func setDeadline(_ time: UInt64, for port: LocalPort)
    /// The port is not used any more.
    func retire(_ port: LocalPort)
}
