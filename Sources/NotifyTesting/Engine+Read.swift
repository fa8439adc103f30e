// Bytes in: cut into lines, each handed to the parser and what it found to the broker.

import NotifyBroker
import NotifyWire

extension Engine {
    /// The scanners may look at this many bytes behind a line.
    private static let padding = 32

    /// Reads what a center has sent.
    func read(_ connection: Int32) {
        guard isServing, !isSilent else { return }
        let bytes = inbox.take(connection)
        guard let session = sessions[connection], !bytes.isEmpty else { return }
        session.input += bytes
        wakeUp { consume(session) }
    }

    /// Handles the lines that the session has; what each causes is written before the next one.
    func consume(_ session: Session) {
        guard !session.isPaused, let peer = session.peer else { return }
        let count = session.input.count
        let bytes = session.input + [UInt8](repeating: 0, count: Self.padding)
        session.input = []
        bytes.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return }
            var next = 0
            lines: while sessions[session.connection] != nil, !peer.pointee.isEnding {
                switch session.splitter.next(in: start, from: next, to: count, limit: broker.pointee.limits.lineBytes) {
                case .line(let first, let newline):
                    handle(start + first, start + newline, from: peer)
                    next = newline + 1
                case .tooLong(let resume):
                    let limit = broker.pointee.limits.lineBytes
                    broker.pointee.refuse(
                        Refusal(.lineTooLong, "limit 'line_bytes' is \(limit); the line was skipped"), .empty, peer)
                    next = resume
                case .incomplete(let keep):
                    next = keep
                    break lines
                }
                writeAll()
                if peer.pointee.isPaused {
                    session.isPaused = true
                    break
                }
            }
            session.input = Array(buffer[next..<count])
        }
        if peer.pointee.isEnding { ending.append(session.connection) }
    }

    private func handle(_ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, from peer: PeerRef) {
        switch parser.pointee.parse(start, end) {
        case .blank: break
        case .refused:
            broker.pointee.refuse(parser.pointee.refusal, parser.pointee.requestRef.pointee.id, peer)
        case .request:
            let request = parser.pointee.requestRef
            if let refusal = takeRefusal(of: request) {
                broker.pointee.refuse(refusal, request.pointee.id, peer)
            } else if request.pointee.op == .batch {
                handleBatch(request.pointee.id, from: peer)
            } else {
                broker.pointee.handle(request, from: peer)
            }
        }
    }

    private func handleBatch(_ id: ByteSlice, from peer: PeerRef) {
        switch parser.pointee.parseBatch() {
        case .success(let posts): broker.pointee.handle(batch: posts, id: id, from: peer)
        case .failure(let refusal): broker.pointee.refuse(refusal, id, peer)
        }
    }

    /// What this request is refused with because the test wants it.
    private func takeRefusal(of request: RequestRef) -> Refusal? {
        guard let refusal = refusals[request.pointee.op] else { return nil }
        // The library posts once more without its own key, in case that there was no room for keys.
        let isRepeated = refusal.code == .quotaExceeded && request.pointee.present.contains(.dedup)
        if !isRepeated { refusals[request.pointee.op] = nil }
        return refusal
    }

    /// Those that waited for room, or for their answers to be read, go on.
    func resumePaused() {
        if broker.pointee.hasReleased {
            resuming += broker.pointee.takeReleased().compactMap { connections[$0] }
        }
        let paused = resuming
        resuming = []
        for connection in paused {
            guard let session = sessions[connection], session.isPaused, session.peer?.pointee.isPaused != true else {
                continue
            }
            session.isPaused = false
            consume(session)
        }
    }
}
