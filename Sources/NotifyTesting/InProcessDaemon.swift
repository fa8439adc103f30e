// A daemon in memory: what a test holds. Its inside is the engine, which is only touched by jobs of the work list.

public import Notify
import NotifyLock

/// A daemon in the test's own process: the code that decides in `notifyd` who gets what, and the protocol's bytes, without
/// a socket, a process or real time. What a test sees with it is what the daemon would do.
///
/// It makes any number of centers, each of which stands for a program of its own:
///
/// ```swift
/// let daemon = InProcessDaemon()
/// let (shop, badge) = (daemon.makeCenter(), daemon.makeCenter())
/// let changes = badge.record(CartDidChange.self)
/// try await shop.post(CartDidChange(itemCount: 2))
/// await daemon.settle()
/// #expect(changes.messages.map(\.itemCount) == [2])
/// ```
///
/// Daemons know nothing of each other, so that tests may run at the same time. It lives as long as it, or one of its
/// centers, is used.
public final class InProcessDaemon: Sendable {
    /// The clock that this daemon and its centers go by.
    public let clock: ManualClock

    let work: WorkList
    let timers = Timers()
    /// Belongs to the jobs of `work`.
    let engine: Engine
    private let lastPID = Locked<Int32>(1000)

    /// Makes a daemon, which serves at once.
    public init(clock: ManualClock = ManualClock()) {
        self.clock = clock
        work = WorkList(activity: clock.activity)
        engine = Engine(clock: clock)
        clock.attach(self)
    }

    /// Makes a center that stands for a program of its own.
    ///
    /// - Parameters:
    ///   - pid: its process, as others see it in ``NotifyCenter/Sender``; nil: one that no other center has.
    ///   - uid: its user.
    public func makeCenter(
        configuration: NotifyCenter.Configuration = NotifyCenter.Configuration(), pid: Int32? = nil, uid: UInt32 = 1000
    ) -> NotifyCenter {
        let next = lastPID.withLock { last in
            last += 1
            return last
        }
        let client = Client(daemon: self, pid: pid ?? next, uid: uid)
        return NotifyCenter(local: client, configuration: configuration)
    }

    // MARK: Coming to rest

    /// Waits until nothing more happens by itself, without time passing. When it returns:
    ///
    /// - whatever was posted before has been delivered,
    /// - every observer has been called with what it got, and every `for await` loop over a sequence of these centers has run
    ///   its body with it, on the main actor too, and has come to its end or to a point where it waits for something else,
    ///   such as the next message or this clock,
    /// - what those posted has been delivered in turn, and so on,
    /// - observers that were cancelled, and what only they held, are gone.
    ///
    /// So "was not called" is an assertion, without a sleep:
    ///
    /// ```swift
    /// let center = NotifyCenter.inProcess()
    /// let token = center.addObserver(for: CartDidChange.self) { _ in
    ///     Issue.record("it was removed")
    /// }
    /// token.cancel()
    /// try await center.post(CartDidChange(itemCount: 3))
    /// await center.settle()
    /// ```
    ///
    /// Messages, observers' jobs, the main actor's and those of the ``executor`` are counted, so that this is known and not
    /// guessed, however busy the machine is. Only a body that has suspended elsewhere, at an actor that has an executor of
    /// its own say, looks like one that waits for something of the test's own, such as a stream that the test will feed. It
    /// is given a tenth of a second, and more on a busy machine, in which nothing else happens.
    ///
    /// Nothing is known of a loop that has not begun yet, because its task has not run so far, and of work that a body hands
    /// on to a task or a queue of its own, unless the task has the ``executor``.
    public func settle() async {
        await clock.settle()
    }

    /// Runs tasks so that ``settle()`` knows of them from their beginning: it waits until these tasks have come to their end
    /// or to a point where they wait for something else. It is the executor of the ``clock``.
    ///
    /// ```swift
    /// let daemon = InProcessDaemon()
    /// let changes = daemon.makeCenter().messages(for: CartDidChange.self)
    /// let listening = Task(executorPreference: daemon.executor) {
    ///     for await change in changes { print(change.itemCount) }
    /// }
    /// ```
    public var executor: any TaskExecutor { clock.executor }

    // MARK: Time

    /// When something is to happen next by the clock.
    var nextDeadline: ManualClock.Instant? {
        [timers.next, engine.nextDeadline].compactMap(\.self).min().map(ManualClock.instant(nanoseconds:))
    }

    /// The clock has been moved.
    func timeHasPassed() {
        work.add { [self] in
            engine.tick()
            for job in timers.takeDue(at: clock.nanoseconds) { job() }
        }
    }
}
