// A sequence whose sender knows that an element was dealt with: `send` returns when the next one is asked for.

import NotifyLock

@testable import Notify

final class Handover<Element: Sendable, Failure: Error>: AsyncSequence, NotifyCenter.MessageSequence {
    private struct State {
        /// What next() is to give, once it is asked for.
        var offer: Result<Element?, Failure>?
        var receiver: (id: Int, wake: CheckedContinuation<Void, Never>)?
        var sender: CheckedContinuation<Void, Never>?
        var nextID = 0
        var requests = 0
    }

    private let state = Locked(State())

    init(_ element: Element.Type = Element.self, failure: Failure.Type = Never.self) {}

    struct AsyncIterator: AsyncIteratorProtocol {
        let handover: Handover

        mutating func next() async throws(Failure) -> Element? { try await next(isolation: nil) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
            try await handover.receive()
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(handover: self) }

    /// How often an element was asked for.
    var requests: Int { state.withLock { $0.requests } }

    /// Hands an element over, and waits until the next one is asked for.
    func send(_ element: Element) async {
        let asked = Swift.max(requests, 1)
        await hand(element)
        while requests == asked { await Task.yield() }
    }

    /// Hands an element over, and does not wait for what becomes of it.
    func hand(_ element: Element) async { await offer(.success(element)) }

    func end() async { await offer(.success(nil)) }
    func fail(_ failure: Failure) async { await offer(.failure(failure)) }

    private func offer(_ result: Result<Element?, Failure>) async {
        await withCheckedContinuation { wake in
            let receiver = state.withLock { state in
                precondition(state.offer == nil)
                state.offer = result
                state.sender = wake
                defer { state.receiver = nil }
                return state.receiver
            }
            receiver?.wake.resume()
        }
    }

    private func receive() async throws(Failure) -> Element? {
        let id = state.withLock { state in
            state.requests += 1
            state.nextID += 1
            return state.nextID
        }
        while true {
            if Task.isCancelled { return nil }
            let (offer, sender) = state.withLock { state in
                defer { if state.offer != nil { (state.offer, state.sender) = (nil, nil) } }
                return (state.offer, state.sender)
            }
            if let offer {
                sender?.resume()
                return try offer.get()
            }
            await wait(id)
        }
    }

    private func wait(_ id: Int) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { wake in
                let isReady = state.withLock { state in
                    if state.offer != nil || Task.isCancelled { return true }
                    state.receiver = (id, wake)
                    return false
                }
                if isReady { wake.resume() }
            }
        } onCancel: {
            let receiver = state.withLock { state in
                let wake = state.receiver?.id == id ? state.receiver?.wake : nil
                if wake != nil { state.receiver = nil }
                return wake
            }
            receiver?.resume()
        }
    }
}
