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
        // In tests, too, it is a plain task of the main actor: one with a preferred executor would be put off, and others
        // let in, by each call of a function of the main actor.
        Task { @MainActor in
            var reader = reader
            while case let item? = await reader.next(isolation: MainActor.shared) {
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
