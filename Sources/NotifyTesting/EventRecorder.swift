// Writes down what comes, for tests that ask afterwards.

public import Notify
import NotifyLock

/// Writes down what happens on a subscription, to be asked after ``InProcessDaemon/settle()``.
///
/// ```swift
/// let center = NotifyCenter.inProcess()
/// let changes = center.record(CartDidChange.self)
/// try await center.post(CartDidChange(itemCount: 1))
/// await center.settle()
/// #expect(changes.messages.map(\.itemCount) == [1])
/// ```
///
/// It listens as long as it is held.
public final class EventRecorder<M: NotifyCenter.Message>: Sendable {
    private struct State {
        var events: [NotifyCenter.Event<M>] = []
        var failure: NotifyError?
    }

    private let state: Locked<State>
    private let task: Task<Void, Never>

    init(_ events: NotifyCenter.Events<M>, _ executor: any TaskExecutor) {
        let state = Locked(State())
        self.state = state
        task = Task(executorPreference: executor) {
            do throws(NotifyError) {
                for try await event in events { state.withLock { $0.events.append(event) } }
            } catch {
                state.withLock { $0.failure = error }
            }
        }
    }

    deinit {
        task.cancel()
    }

    /// All that has come so far.
    public var events: [NotifyCenter.Event<M>] { state.withLock { $0.events } }

    /// The messages among it.
    public var messages: [M] {
        events.compactMap { event in
            if case .message(let message, _) = event { message } else { nil }
        }
    }

    /// The gaps among it.
    public var gaps: [NotifyCenter.Gap] {
        events.compactMap { event in
            if case .gap(let gap) = event { gap } else { nil }
        }
    }

    /// What has ended the subscription.
    public var failure: NotifyError? { state.withLock { $0.failure } }
}

extension NotifyCenter {
    /// Begins to write down what happens on a subscription. The parameters are those of `events`.
    ///
    /// - Precondition: the center was made for a test.
    public func record<M: Message>(
        _ type: M.Type, of subject: Subject? = nil, replay: Replay = .none, buffer: BufferPolicy = .standard
    ) -> EventRecorder<M> {
        EventRecorder(
            events(of: subject, for: type, replay: replay, buffer: buffer), inProcessDaemon.executor)
    }
}
