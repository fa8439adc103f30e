// Time that moves when a test says so. It wakes sleepers and gives the daemons that go by it their turns, each at its
// own moment, and lets everything that follows from one come to rest before the next.

public import FoundationEssentials
package import Notify
import NotifyLock

/// A clock that stands still until a test moves it.
///
/// A daemon in memory and its centers go by it, and so does whatever takes a clock: one ``advance(by:)`` moves all of them.
///
/// ```swift
/// let clock = ManualClock()
/// let center = NotifyCenter.inProcess(clock: clock)
/// try await center.post(Reminder(), options: .delayed(by: .seconds(60)))
/// await clock.advance(by: .seconds(60))
/// ```
public final class ManualClock: Clock, Sendable {
    /// A moment of a manual clock: how long after its beginning, in whole nanoseconds.
    public struct Instant: InstantProtocol, Sendable {
        /// The time since the clock was made.
        public let offset: Duration

        /// A moment so long after the clock's beginning, to the nearest nanosecond: `.seconds(0.1)` is not quite a tenth of
        /// a second.
        public init(offset: Duration = .zero) {
            let (seconds, attoseconds) = offset.components
            let nanoseconds = (Double(attoseconds) / 1e9).rounded()
            self.offset = .seconds(seconds) + .nanoseconds(Int64(nanoseconds))
        }

        /// The moment that is later by a duration.
        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        /// How much later the other moment is.
        public func duration(to other: Instant) -> Duration {
            other.offset - offset
        }

        /// Whether a moment is earlier than another.
        public static func < (left: Instant, right: Instant) -> Bool {
            left.offset < right.offset
        }
    }

    struct Sleeper {
        let id: UInt64
        let deadline: Instant
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now = Instant()
        /// By their deadlines, and those with the same deadline as they came.
        var sleepers: [Sleeper] = []
        var lastID: UInt64 = 0
        var daemons: [WeakDaemon] = []
    }

    private struct WeakDaemon { weak var daemon: InProcessDaemon? }

    /// The time of day at which the clock began.
    private let start: Date
    private let state = Locked(State())
    let world: TestWorld
    var activity: Activity { world.activity }

    /// Makes a clock.
    ///
    /// - Parameter date: the time of day at its beginning: the same in each run of a test, unless said otherwise.
    public init(date: Date = Date(timeIntervalSince1970: 1_000_000_000)) {
        start = date
        let activity = Activity()
        world = TestWorld(activity: activity, executor: TrackedExecutor(activity))
    }

    /// The present moment.
    public var now: Instant { state.withLock { $0.now } }

    /// The time of day at the present moment: for ``NotifyCenter/PostOptions/at(_:)`` and the like.
    public var date: Date { start.addingTimeInterval(now.offset / .seconds(1)) }

    /// A nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    // MARK: Sleeping

    /// Waits until the clock has been moved to a moment.
    ///
    /// - Throws: `CancellationError` when the task is cancelled before that.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if deadline <= state.now || Task.isCancelled { return true }
                    activity.beginRest()
                    let place = state.sleepers.firstIndex { $0.deadline > deadline } ?? state.sleepers.count
                    state.sleepers.insert(Sleeper(id: id, deadline: deadline, continuation: continuation), at: place)
                    return false
                }
                if isOver { wake(continuation) }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                state.sleepers.firstIndex { $0.id == id }.map { state.sleepers.remove(at: $0) }
            }
            if let sleeper { wake(sleeper.continuation) }
        }
        activity.endRest()
        activity.end()
        try Task.checkCancellation()
    }

    /// It counts as under way until it runs.
    private func wake(_ continuation: CheckedContinuation<Void, Never>) {
        activity.begin()
        continuation.resume()
    }

    // MARK: Moving

    /// Moves the clock. Whoever sleeps is woken in the order of the deadlines, and daemons do what is due, each at its own
    /// time; what follows from that has come to rest, as ``settle()`` says, before the clock goes on, and when this
    /// returns.
    public func advance(by duration: Duration) async {
        await advance(to: now.advanced(by: duration))
    }

    /// Moves the clock to a moment, as ``advance(by:)`` does.
    ///
    /// - Precondition: the moment is not in the past.
    public func advance(to deadline: Instant) async {
        precondition(deadline >= now, "a clock does not go back")
        await settle()
        while let isAtRest = step(upTo: deadline) {
            if !isAtRest { await settle() }
        }
        state.withLock { $0.now = max($0.now, deadline) }
    }

    /// Goes to the next moment at which something is to happen, and lets it happen. Answers whether nothing follows from
    /// it, as when a daemon only looked at the time of day; nil: there is no such moment.
    private func step(upTo deadline: Instant) -> Bool? {
        let daemons = state.withLock { $0.daemons.compactMap(\.daemon) }
        let deadlines = daemons.map(\.nextDeadline)
        let due = deadlines.compactMap(\.self).min()
        let (sleeper, isDue) = state.withLock { state -> (Sleeper?, Bool) in
            let first = state.sleepers.first
            let next = [due, first?.deadline].compactMap(\.self).min()
            guard let next, next <= deadline else { return (nil, false) }
            state.now = max(state.now, next)
            if next == due { return (nil, true) }
            return (state.sleepers.removeFirst(), false)
        }
        if let sleeper {
            wake(sleeper.continuation)
            return false
        }
        guard isDue else { return nil }
        let called = zip(daemons, deadlines).filter { $0.1 == due }.map(\.0)
        let begun = activity.begun
        for daemon in called { daemon.timeHasPassed() }
        // Each is called by one job.
        return activity.isIdle && activity.begun == begun + UInt64(called.count)
    }

    // MARK: Coming to rest

    /// Runs tasks so that ``settle()`` and ``advance(by:)`` know of them: they wait until these tasks have come to their
    /// end or to a point where they wait for something else, such as this clock, a message or an answer.
    ///
    /// ```swift
    /// let clock = ManualClock()
    /// let tea = Task(executorPreference: clock.executor) {
    ///     try await clock.sleep(for: .seconds(180))
    ///     return "ready"
    /// }
    /// await clock.advance(by: .seconds(180))
    /// #expect(try await tea.value == "ready")
    /// ```
    public var executor: any TaskExecutor { world.executor }

    /// How long somebody else's code may be where nobody sees it, when nothing else happens: at an actor with an executor of
    /// its own, say. Or it waits for what nobody here knows of, and nobody can tell the one from the other.
    private static let patience = Duration.milliseconds(100)
    /// So often is looked for it at least, which takes longer on a busy machine.
    private static let looks = 256

    /// Waits until nothing more happens by itself: see ``InProcessDaemon/settle()``.
    public func settle() async {
        let caller = Activity.currentTask
        // In a task of its own, so that the caller's own coming and going is none of what is waited for.
        await Task.detached { [activity] in
            let clock = ContinuousClock()
            var (begun, last, looks) = (activity.begun, clock.now, 0)
            while true {
                await activity.idle()
                // The main actor does in order what it is given: who was on the way there has come to run.
                await Task { @MainActor in }.value
                await activity.idle()
                if activity.begun != begun {
                    (begun, last, looks) = (activity.begun, clock.now, 0)
                    continue
                }
                guard activity.hasBodyOnItsWay(except: caller) else { return }
                looks += 1
                if looks > Self.looks, clock.now > last + Self.patience { return }
                await Task.yield()
            }
        }.value
    }

    // MARK: Daemons

    func attach(_ daemon: InProcessDaemon) {
        state.withLock { state in
            state.daemons.removeAll { $0.daemon == nil }
            state.daemons.append(WeakDaemon(daemon: daemon))
        }
    }

    /// So that no time of a daemon is 0.
    private static let monotonicStart: UInt64 = 1_000_000_000

    /// The present moment as nanoseconds of a daemon's clock.
    var nanoseconds: UInt64 { Self.monotonicStart + UInt64(now.offset.wholeNanoseconds) }

    /// The first moment at which `nanoseconds` is at least this.
    static func instant(nanoseconds: UInt64) -> Instant {
        Instant(offset: .nanoseconds(Int64(clamping: nanoseconds) - Int64(monotonicStart)))
    }

    /// The present time of day in nanoseconds since 1970.
    var wallNanoseconds: Int64 {
        Int64(start.timeIntervalSince1970 * 1_000_000) * 1000 + now.offset.wholeNanoseconds
    }
}

extension Duration {
    var wholeNanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}

extension ManualClock: BelongsToTestWorld {
    package var testWorld: TestWorld? { world }
}
