// Standard input, read on a thread of its own: a read from a terminal or a pipe may take for ever, and the threads that
// run tasks are few.

import Dispatch
import Glibc
import NotifyLock

/// Reads standard input in chunks.
final class StandardInput: Sendable {
    private enum State {
        case idle
        case waiting(CheckedContinuation<Result<[UInt8]?, Failure>, Never>)
        case stopped
    }

    private let state = Locked(State.idle)
    private let queue = DispatchQueue(label: "notifyctl.stdin")
    private let chunkBytes = 1 << 16

    /// The next bytes; nil at the end, or when somebody called `stop`.
    func next() async throws(Failure) -> [UInt8]? {
        try await withCheckedContinuation { (continuation: CheckedContinuation<Result<[UInt8]?, Failure>, Never>) in
            let isStopped = state.withLock { state in
                if case .stopped = state { return true }
                state = .waiting(continuation)
                return false
            }
            if isStopped { return continuation.resume(returning: .success(nil)) }
            queue.async { self.answer(self.read()) }
        }.get()
    }

    /// No more chunks: whoever waits for one is let go. A read that has begun is left to itself.
    func stop() { answer(.success(nil), state: .stopped) }

    var isStopped: Bool {
        state.withLock { if case .stopped = $0 { true } else { false } }
    }

    private func answer(_ result: Result<[UInt8]?, Failure>, state next: State = .idle) {
        let continuation = state.withLock { state -> CheckedContinuation<Result<[UInt8]?, Failure>, Never>? in
            let previous = state
            if case .stopped = previous { return nil }
            state = next
            if case .waiting(let continuation) = previous { return continuation }
            return nil
        }
        continuation?.resume(returning: result)
    }

    private func read() -> Result<[UInt8]?, Failure> {
        while true {
            var count = 0
            let chunk = [UInt8](unsafeUninitializedCapacity: chunkBytes) { buffer, initialized in
                count = Glibc.read(STDIN_FILENO, buffer.baseAddress, chunkBytes)
                initialized = max(0, count)
            }
            if count >= 0 { return .success(count == 0 ? nil : chunk) }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                var state = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
                poll(&state, 1, -1)
            case let code: return .failure(Failure(.inputOutput, "standard input: \(String(cString: strerror(code)))"))
            }
        }
    }
}
