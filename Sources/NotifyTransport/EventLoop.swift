// One serial queue, one epoll set, one Dispatch source on that set: all descriptors of a process are served by one
// thread at a time, without a Dispatch source for each of them.
//
// When the set becomes readable, the queue's handler drains it and then keeps waiting in epoll_wait(2) for a while
// before it gives the thread back to Dispatch: under traffic a wake-up costs what it costs in a hand-written loop.
// While it waits, blocks that somebody puts on the queue directly would wait too: work from outside comes in by
// `execute`.

import CNotify
package import Dispatch
import Glibc
import NotifyLock

package final class EventLoop: @unchecked Sendable {
    /// How long the handler goes on waiting after the last event, in milliseconds.
    package static let linger: Int32 = 1000

    /// More descriptors that are ready have their turn in the next wake-ups, one after the other.
    package static let eventsPerWait = 256
    /// Events that come within this many nanoseconds after the last ones are likely to be followed by more.
    private static let closeTogether: UInt64 = 100_000
    private let spin: UInt64

    /// Everything below runs on this queue, except `execute`.
    package let queue: DispatchQueue
    private let set: Int32
    private let wakeup: Int32
    private let timer: Int32
    private let source: any DispatchSourceRead
    private let events: UnsafeMutablePointer<cnotify_event>

    // All of it belongs to the queue, so that checking each access for exclusiveness would be a tenth of a wake-up's
    // work for nothing.
    @exclusivity(unchecked) private var handlers: [Registration?] = []
    @exclusivity(unchecked) private var touched: [Int] = []
    /// Handlers that go on after the events that have come meanwhile.
    @exclusivity(unchecked) private var goingOn: [Int] = []
    /// How long the last wait took, in nanoseconds.
    @exclusivity(unchecked) private var lastWait = UInt64.max
    @exclusivity(unchecked) private var armed: UInt64 = 0
    @exclusivity(unchecked) private var isStopped = false

    private let submitted = Locked<[@Sendable () -> Void]>([])

    /// A class, so that a change of one value does not go through the array.
    private final class Registration {
        let handler: any EventHandler
        @exclusivity(unchecked) var deadline: UInt64?
        @exclusivity(unchecked) var isTouched = false

        init(handler: any EventHandler) { self.handler = handler }
    }

    private static let wakeupData = UInt64.max
    private static let timerData = UInt64.max - 1

    /// - Parameter spin: how long to ask for the next events without sleeping, in nanoseconds, while they come close
    ///   together; 0: not at all, as on a machine with one processor.
    /// - Throws: `SystemError` when the kernel has no descriptors left.
    package init(label: String, spin: UInt64 = 0) throws(SystemError) {
        self.spin = sysconf(Int32(_SC_NPROCESSORS_ONLN)) > 1 ? spin : 0
        self.set = try Self.descriptor(SystemCalls.epollCreate(), .epollCreate)
        self.wakeup = try Self.descriptor(SystemCalls.wakeupCreate(), .wakeupCreate)
        self.timer = try Self.descriptor(SystemCalls.timerCreate(), .timerCreate)
        self.queue = DispatchQueue(label: label)
        self.events = .allocate(capacity: Self.eventsPerWait)
        self.source = DispatchSource.makeReadSource(fileDescriptor: set, queue: queue)
        for (fd, data) in [(wakeup, Self.wakeupData), (timer, Self.timerData)] {
            let result = SystemCalls.epollControl(set, EPOLL_CTL_ADD, fd, Readiness.input.rawValue, data)
            if result < 0 { throw SystemError(.epollControl, Int32(-result)) }
        }
        source.setEventHandler { [unowned self] in drain() }
        // Descriptors are closed only after Dispatch has let go of the set: a number that is reused earlier would
        // never fire again.
        source.setCancelHandler { [set, wakeup, timer, events] in
            for fd in [set, wakeup, timer] { SystemCalls.close(fd) }
            events.deallocate()
        }
        source.activate()
    }

    deinit { source.cancel() }

    private static func descriptor(_ result: Int, _ call: SystemCalls.Call) throws(SystemError) -> Int32 {
        guard result >= 0 else { throw SystemError(call, Int32(-result)) }
        return Int32(result)
    }

    // MARK: From any thread

    /// Runs `body` on the loop's queue, after what was submitted before it.
    package func execute(_ body: @escaping @Sendable () -> Void) {
        let isFirst = submitted.withLock { list in
            list.append(body)
            return list.count == 1
        }
        guard isFirst else { return }
        var one: UInt64 = 1
        _ = Glibc.write(wakeup, &one, 8)
    }

    // MARK: On the queue

    /// Makes `handler` known; it is kept until `removeHandler`.
    package func addHandler(_ handler: any EventHandler) -> HandlerID {
        let registration = Registration(handler: handler)
        if let free = handlers.firstIndex(where: { $0 == nil }) {
            handlers[free] = registration
            return HandlerID(index: free)
        }
        handlers.append(registration)
        return HandlerID(index: handlers.count - 1)
    }

    /// The handler's descriptors must have been removed before.
    package func removeHandler(_ id: HandlerID) {
        handlers[id.index] = nil
    }

    /// Watches `fd`; events come with `token`, level-triggered.
    package func add(_ fd: Int32, _ interest: Readiness, token: UInt32, for id: HandlerID) -> SystemError? {
        control(EPOLL_CTL_ADD, fd, interest, token, id)
    }

    package func modify(_ fd: Int32, _ interest: Readiness, token: UInt32, for id: HandlerID) -> SystemError? {
        control(EPOLL_CTL_MOD, fd, interest, token, id)
    }

    /// Stops watching; call it before closing the descriptor.
    package func remove(_ fd: Int32) {
        _ = SystemCalls.epollControl(set, EPOLL_CTL_DEL, fd, 0, 0)
    }

    private func control(
        _ operation: Int32, _ fd: Int32, _ interest: Readiness, _ token: UInt32, _ id: HandlerID
    ) -> SystemError? {
        let data = UInt64(id.index) << 32 | UInt64(token)
        let result = SystemCalls.epollControl(set, operation, fd, interest.rawValue, data)
        return result < 0 ? SystemError(.epollControl, Int32(-result)) : nil
    }

    /// `handler.deadlineReached` is called once, at or after this CLOCK_MONOTONIC time in nanoseconds; nil: not at all.
    package func setDeadline(_ nanoseconds: UInt64?, for id: HandlerID) {
        guard handlers.indices.contains(id.index) else { return }
        handlers[id.index]?.deadline = nanoseconds
        arm()
    }

    /// The handler has more to do: its `wakeUpEnded` is called again soon, after the events that have come meanwhile.
    package func goOn(_ id: HandlerID) {
        goingOn.append(id.index)
    }

    private func arm() {
        let next = handlers.reduce(UInt64.max) { min($0, $1?.deadline ?? .max) }
        let wanted = next == .max ? 0 : max(1, next)
        guard wanted != armed else { return }
        armed = wanted
        _ = cnotify_timer_arm(timer, wanted)
    }

    /// Ends the current drain; no handler is called any more. For the end of the process or of a test.
    package func stop() {
        isStopped = true
        handlers.removeAll()
        source.cancel()
    }

    private func drain() {
        // The handler may drop the last reference to this loop.
        withExtendedLifetime(self) {
            while !isStopped {
                let isIdle = goingOn.isEmpty
                let count = wait(isIdle)
                if count <= 0, isIdle { return }
                for index in 0..<max(0, count) where !isStopped { dispatch(events[index]) }
                for index in goingOn { touch(index) }
                if !goingOn.isEmpty { goingOn.removeAll(keepingCapacity: true) }
                endWakeUp()
            }
        }
    }

    /// Waits for events. While they come closer together than `closeTogether`, the next one is asked for without
    /// sleeping for up to `spin` first: waking a core that has gone to sleep costs more than the whole message.
    private func wait(_ isIdle: Bool) -> Int {
        guard isIdle else { return SystemCalls.epollWait(set, events, Int32(Self.eventsPerWait), 0) }
        guard spin > 0 else { return SystemCalls.epollWait(set, events, Int32(Self.eventsPerWait), Self.linger) }
        let began = SystemCalls.monotonicNanoseconds()
        var now = began
        var count = 0
        if lastWait < Self.closeTogether {
            repeat {
                count = SystemCalls.epollWait(set, events, Int32(Self.eventsPerWait), 0)
                now = SystemCalls.monotonicNanoseconds()
            } while count == 0 && now - began < spin
        }
        if count == 0 {
            count = SystemCalls.epollWait(set, events, Int32(Self.eventsPerWait), Self.linger)
            now = SystemCalls.monotonicNanoseconds()
        }
        lastWait = now - began
        return count
    }

    private func dispatch(_ event: cnotify_event) {
        switch event.data {
        case Self.wakeupData: runSubmitted()
        case Self.timerData: runDeadlines()
        default:
            let index = Int(event.data >> 32)
            guard index < handlers.count, let handler = handlers[index]?.handler else { return }
            touch(index)
            handler.ready(Readiness(rawValue: event.events), token: UInt32(truncatingIfNeeded: event.data))
        }
    }

    private func touch(_ index: Int) {
        if handlers.indices.contains(index), handlers[index]?.isTouched == false {
            handlers[index]?.isTouched = true
            touched.append(index)
        }
    }

    private func endWakeUp() {
        // By index: a handler may touch another one, which then has its turn too.
        var next = 0
        while next < touched.count {
            let index = touched[next]
            next += 1
            guard index < handlers.count, let handler = handlers[index]?.handler else { continue }
            handlers[index]?.isTouched = false
            handler.wakeUpEnded()
        }
        // One or two, so that taking them one by one costs less than emptying the array.
        while touched.popLast() != nil {}
    }

    private func runSubmitted() {
        var count: UInt64 = 0
        _ = Glibc.read(wakeup, &count, 8)
        let list = submitted.withLock { list in
            defer { list = [] }
            return list
        }
        for body in list { body() }
    }

    private func runDeadlines() {
        var expirations: UInt64 = 0
        _ = Glibc.read(timer, &expirations, 8)
        armed = 0
        let now = SystemCalls.monotonicNanoseconds()
        for index in handlers.indices {
            guard let registration = handlers[index], let deadline = registration.deadline, deadline <= now else {
                continue
            }
            handlers[index]?.deadline = nil
            touch(index)
            registration.handler.deadlineReached(now)
        }
        arm()
    }
}
