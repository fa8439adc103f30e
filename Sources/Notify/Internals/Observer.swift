// The loop behind an observer: takes one message after the other and hands each to the handler, until the handler says
// that it is over, the token is cancelled or gone, or the center is closed.

enum Observer {
    /// - Parameter handler: answers false when there must be no further call.
    static func start<M: NotifyCenter.Message>(
        _ source: FeedSource, _ type: M.Type, _ handler: @escaping @Sendable (M, Gate) async -> Bool
    ) -> NotifyCenter.ObservationToken {
        let gate = Gate(source.link.activity)
        let reader = source.makeReader()
        Task(executorPreference: gate) {
            var reader = reader
            while case let item? = await reader.next(isolation: nil) {
                guard case .message(let raw) = item, let message = reader.readOrSkip(type, from: raw) else { continue }
                let goesOn = await handler(message, gate)
                gate.leave()
                if !goesOn { break }
            }
            source.close()
        }
        return token(source, gate)
    }

    /// - Parameter handler: answers false when there must be no further call.
    static func startOnMainActor<M: NotifyCenter.Message>(
        _ source: FeedSource, _ type: M.Type, _ handler: @escaping @MainActor (M, Gate) async -> Bool
    ) -> NotifyCenter.ObservationToken {
        let gate = Gate(source.link.activity, isOfMainActor: true)
        let reader = source.makeReader()
        // Until it is on the main actor it is under way: nothing else knows of its way there.
        let activity = source.link.activity
        activity?.begin()
        let loop: @MainActor @Sendable () async -> Void = {
            var reader = reader
            var isStarting = true
            func hasStarted() {
                if isStarting { activity?.end() }
                isStarting = false
            }
            defer { hasStarted() }
            while true {
                if !reader.isNextReady { hasStarted() }
                guard let item = await reader.next(isolation: MainActor.shared) else { break }
                hasStarted()
                guard case .message(let raw) = item, let message = reader.readOrSkip(type, from: raw) else { continue }
                let goesOn = await handler(message, gate)
                gate.leave()
                if !goesOn { break }
            }
            source.close()
        }
        if let executor = source.link.local?.executor {
            // What a handler does off the main actor is known to a test.
            Task(executorPreference: executor) { await loop() }
        } else {
            Task { @MainActor in await loop() }
        }
        return token(source, gate)
    }

    /// - Parameter handler: answers false when there must be no further call.
    static func startRaw(
        _ source: FeedSource, _ handler: @escaping @Sendable (NotifyCenter.RawEvent, Gate) async -> Bool
    ) -> NotifyCenter.ObservationToken {
        let gate = Gate(source.link.activity)
        let reader = source.makeReader()
        Task(executorPreference: gate) {
            var reader = reader
            while let event = await reader.next(isolation: nil) {
                let goesOn = await handler(event, gate)
                gate.leave()
                if !goesOn { break }
            }
            source.close()
        }
        return token(source, gate)
    }

    private static func token(_ source: FeedSource, _ gate: Gate) -> NotifyCenter.ObservationToken {
        NotifyCenter.ObservationToken {
            gate.close()
            source.close()
        }
    }
}
