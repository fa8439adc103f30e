// Faults on purpose. Each returns when what follows from it has come to rest.

public import Notify
import NotifyBroker
import NotifyLock
import NotifyWire

extension InProcessDaemon {
    /// Centers lose their connections, as when a cable is pulled. They come back by themselves and resume, at once or
    /// when the clock has been moved by `duration`: what was posted meanwhile is delivered then.
    ///
    /// - Parameters:
    ///   - center: the one that loses its connection; nil: all of this daemon.
    ///   - duration: how long the daemon cannot be reached.
    public func simulateDisconnect(of center: NotifyCenter? = nil, for duration: Duration = .zero) async {
        precondition(duration >= .zero, "a daemon cannot be away for \(duration)")
        let client = center?.inProcessClient
        await perform { [self] in
            let until = clock.nanoseconds + UInt64(duration.wholeNanoseconds)
            if let client { client.awayUntil.withLock { $0 = until } } else { engine.awayUntil = until }
            engine.cut(off: client)
            if duration == .zero { return engine.retryAll() }
            timers.set(until, for: client.map { $0 as AnyObject } ?? self) { [weak self] in self?.engine.retryAll() }
        }
    }

    /// The daemon is killed and started again: retained messages, history, schedules and numbers are gone, and there is a
    /// new epoch. Centers come back at once and make their subscriptions again.
    public func simulateRestart() async {
        await perform { [self] in
            engine.cut(off: nil)
            engine.beginAnew()
            engine.retryAll()
        }
    }

    /// The daemon is stopped in good order: it says goodbye, and there is none until ``start()``.
    public func stop() async {
        await perform { [self] in engine.stop() }
    }

    /// A daemon is started after ``stop()``. It knows nothing of the one before. Centers come back at once.
    public func start() async {
        await perform { [self] in
            guard !engine.isServing else { return }
            engine.beginAnew()
            engine.retryAll()
        }
    }

    /// The daemon is there and does nothing, as when it was stopped by a signal or its machine is overloaded: answers do
    /// not come, and requests fail with ``NotifyError/Code/timedOut`` when the clock has been moved far enough.
    public func pause() async {
        await perform { [self] in engine.pause() }
    }

    /// The daemon goes on after ``pause()``, with what was asked meanwhile first.
    public func resume() async {
        await perform { [self] in engine.goOn() }
    }

    /// The next messages for a center's subscriptions find no room, as when it is slow: its subscriptions lose them, and
    /// are told of gaps, or end, as their buffer's policy says.
    ///
    /// - Parameters:
    ///   - center: the one that is slow; nil: all that are connected.
    ///   - count: how many messages are lost.
    public func simulateOverflow(of center: NotifyCenter? = nil, losing count: Int = 1) async {
        let client = center?.inProcessClient
        await perform { [self] in
            for session in engine.sessions.values where client == nil || session.client === client {
                session.messagesToLose = count
            }
        }
    }

    /// The next post is refused, whoever makes it.
    ///
    /// - Parameters:
    ///   - code: one of the protocol's codes, such as ``NotifyError/Code/denied``.
    ///   - message: the sentence that comes with it.
    public func refuseNextPost(
        with code: NotifyError.Code = .denied, message: String = "refused by the test"
    ) async {
        await refuse(.post, code, message)
    }

    /// The next subscription is refused, whoever asks for it: observers of it are not called, and `events` throws.
    ///
    /// - Parameters:
    ///   - code: one of the protocol's codes, such as ``NotifyError/Code/denied``.
    ///   - message: the sentence that comes with it.
    public func refuseNextSubscription(
        with code: NotifyError.Code = .denied, message: String = "refused by the test"
    ) async {
        await refuse(.subscribe, code, message)
    }

    private func refuse(_ op: Op, _ code: NotifyError.Code, _ message: String) async {
        guard let wire = ErrorCode(rawValue: code.rawValue) else {
            preconditionFailure("'\(code)' is the library's own error: a daemon does not send it")
        }
        await perform { [self] in engine.refusals[op] = Refusal(wire, message) }
    }

    private func perform(_ body: @escaping @Sendable () -> Void) async {
        // What was asked before comes first.
        await settle()
        work.add(body)
        await settle()
    }
}
