// Bytes in: read once per event, split into lines, hand each to the parser and what it found to the broker.

import Glibc
import NotifyBroker
import NotifyTransport
import NotifyWire

extension Hub {
    /// Returns whether anything came.
    @discardableResult
    func read(_ slot: Int, _ readiness: Readiness) -> Bool {
        if sessions[slot].isOnHold {
            if readiness.contains(.hangUp), let peer = sessions[slot].peer {
                broker.pointee.deafen(peer)
                turns.stopResting(slot)
            }
            return false
        }
        guard !sessions[slot].isPaused else {
            // Nobody is left to read the answers that the requests wait for: on with them, for their effects.
            if readiness.contains(.hangUp), let peer = sessions[slot].peer {
                broker.pointee.deafen(peer)
                resuming.append(slot)
            }
            return false
        }
        if sessions[slot].interest.contains(.input) || readiness.contains(.hangUp) {
            let outcome = sessions[slot].input.read(from: sessions[slot].descriptor, into: readBuffer)
            switch outcome {
            case .data:
                if let peer = sessions[slot].peer {
                    let count = readBuffer.content.pointee.count - sessions[slot].input.keptCount
                    broker.pointee.countInput(count, from: peer)
                }
                consume(slot)
                // Those who have very much to do themselves need not be waited for by each other.
                if !sessions[slot].isOnHold { turns.wasServed(slot, at: broker.pointee.now.monotonic) }
                return true
            case .wouldBlock: if readiness.contains(.hangUp) { close(slot) }
            case .endOfFile: endOfInput(slot, readiness)
            case .failed(let number):
                if let peer = sessions[slot].peer { log.debug("read failed: \(SystemError(.read, number))", for: peer) }
                close(slot)
            }
        } else if !readiness.isDisjoint(with: [.hangUp, .error]) {
            close(slot)
        }
        return false
    }

    /// Reads what the peer has sent up to now. A socket's buffer holds less than these reads take, so that one who
    /// goes on sending cannot put off the end.
    func readRest(_ slot: Int) {
        var reads = 64
        while reads > 0, sessions[slot].isOpen, sessions[slot].interest.contains(.input), read(slot, .input) {
            reads -= 1
        }
    }

    /// Handles all complete lines that the session has, until it must wait for more or its answers must be read first.
    ///
    /// - Parameter isItsTurn: it has waited for its turn, and need not wait because its account rests.
    func consume(_ slot: Int, isItsTurn: Bool = false) {
        guard let peer = sessions[slot].peer else { return }
        let (bytes, count) = readBuffer.content.pointee
        let limit = broker.pointee.limits.lineBytes
        var start = 0
        /// The next line is a batch, and all before it has been written.
        var batchHasWaited = false
        let isMetered = peer.pointee.isMetered
        broker.pointee.beginTurn()
        broker.pointee.beginAnswers(to: peer)
        // A line that goes on where the data ends is seen to end there; the splitter keeps it for the next read.
        bytes[count] = UInt8(ascii: "\n")
        while true {
            if start < count, !isMetered, sessions[slot].splitter.isAtLineStart,
                let newline = parser.pointee.parseRepeatedPost(bytes + start, before: bytes + count),
                UnsafePointer(bytes + start).distance(to: newline) < limit
            {
                broker.pointee.handleRepeated(parser.pointee.requestRef, from: peer)
                start = UnsafePointer(bytes).distance(to: newline) + 1
            } else {
                broker.pointee.endRun()
                switch sessions[slot].splitter.next(in: bytes, from: start, to: count, limit: limit) {
                case .line(let first, let newline):
                    start = first
                    batchWaits = false
                    guard
                        handle(
                            bytes + first, bytes + newline, from: peer, mayWait: true, isItsTurn,
                            batchMayWait: !batchHasWaited)
                    else {
                        return hold(slot, from: first, until: broker.pointee.rest(of: peer))
                    }
                    batchHasWaited = batchWaits
                    if !batchWaits { start = newline + 1 }
                case .tooLong(let resume):
                    if isMetered { _ = broker.pointee.admit(bytes: limit, from: peer) }
                    broker.pointee.refuse(
                        Refusal(.lineTooLong, "limit 'line_bytes' is \(limit); the line was skipped"), .empty, peer)
                    start = resume
                case .incomplete(let keep):
                    // Nothing is kept, as most of the time, and nothing was before.
                    if keep == count, peer.pointee.inputBytes == 0 { return }
                    return keepInput(slot, from: keep)
                }
            }
            var turnIsOver = false
            if _slowPath(broker.pointee.wantsWrite || batchWaits) {
                batchWaits = false
                // What is written has been added up.
                broker.pointee.endRun()
                turnIsOver = broker.pointee.turnIsOver && !service.isStopping
                writeAll()
                if turnIsOver, sessions[slot].isOpen { rest(peer, after: broker.pointee.work) }
                // Writing may have found that the peer is gone.
                guard sessions[slot].isOpen else { return }
                broker.pointee.beginAnswers(to: peer)
            }
            if _slowPath(peer.pointee.isEnding) { return end(slot) }
            // Its answers wait: so do its requests, whether or not anything is written to it in this wake-up.
            if _slowPath(peer.pointee.isPaused) {
                if !sessions[slot].isPaused { pause(slot) }
                return keepInput(slot, from: start)
            }
            if _slowPath(turnIsOver) { return hold(slot, from: start) }
        }
    }

    /// Returns false when the request has to wait for another wake-up.
    @inline(__always)
    private func handle(
        _ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, from peer: PeerRef, mayWait: Bool,
        _ isItsTurn: Bool = false, batchMayWait: Bool = false
    ) -> Bool {
        let outcome = parser.pointee.parse(start, end)
        // A batch is one piece, for which nothing is written: each queue is to have room for all of it. So what was said
        // before is written first, and the line read again.
        if batchMayWait, case .request = outcome, case .batch = parser.pointee.requestRef.pointee.op,
            broker.pointee.hasOutput
        {
            batchWaits = true
            return true
        }
        if case .request = outcome, _slowPath(parser.pointee.requestRef.pointee.isSearch) {
            if mayWait, mustWait(peer, isItsTurn) { return false }
            let before = broker.pointee.work
            defer {
                searched += broker.pointee.work - before
                shares.forgive(until: SystemCalls.monotonicNanoseconds())
            }
            handle(outcome, start.distance(to: end) + 1, from: peer)
            return true
        }
        handle(outcome, start.distance(to: end) + 1, from: peer)
        return true
    }

    @inline(__always)
    private func handle(_ outcome: RequestParser.Verdict, _ bytes: Int, from peer: PeerRef) {
        if _slowPath(peer.pointee.isMetered) { return handleMetered(outcome, bytes, from: peer) }
        switch outcome {
        case .request:
            if case .batch = parser.pointee.requestRef.pointee.op { return handleBatch(from: peer) }
            broker.pointee.handle(parser.pointee.requestRef, from: peer)
        case .refused:
            broker.pointee.refuse(parser.pointee.refusal, parser.pointee.requestRef.pointee.id, peer)
        case .blank:
            break
        }
    }

    /// Of requests that may look at everything there is, so many are answered in a wake-up as make one turn: all others,
    /// who ask for less, are served between them.
    @inline(never)
    private func mustWait(_ peer: PeerRef, _ isItsTurn: Bool) -> Bool {
        if service.isStopping { return false }
        return searched > Limits.workPerTurn || !isItsTurn && broker.pointee.rest(of: peer) > 0
    }

    private func handleBatch(from peer: PeerRef, bytes: Int? = nil) {
        let id = parser.pointee.requestRef.pointee.id
        let posts = parser.pointee.parseBatch()
        let count = (try? posts.get().count) ?? 1
        if let refusal = bytes.flatMap({ broker.pointee.admit(count, bytes: $0, from: peer) }) {
            return broker.pointee.refuse(refusal, batch: (try? posts.get()) ?? [], id, peer)
        }
        switch posts {
        case .success(let posts): broker.pointee.handle(batch: posts, id: id, from: peer)
        case .failure(let refusal): broker.pointee.refuse(refusal, id, peer)
        }
    }

    /// The same for a peer of which so much may come in a second. Whatever comes counts; nobody is kept from going.
    @inline(never)
    private func handleMetered(_ outcome: RequestParser.Verdict, _ bytes: Int, from peer: PeerRef) {
        let request = parser.pointee.requestRef
        if case .request = outcome {
            if case .batch = request.pointee.op { return handleBatch(from: peer, bytes: bytes) }
            if case .bye = request.pointee.op { return broker.pointee.handle(request, from: peer) }
        }
        let refusal = broker.pointee.admit(bytes: bytes, from: peer)
        switch outcome {
        case .request:
            if let refusal {
                if case .post = request.pointee.op { return broker.pointee.refuse(refusal, post: request, peer) }
                broker.pointee.refuse(refusal, request.pointee.id, peer)
            } else {
                broker.pointee.handle(request, from: peer)
            }
        case .refused: broker.pointee.refuse(refusal ?? parser.pointee.refusal, request.pointee.id, peer)
        case .blank: break
        }
    }

    // MARK: The end of the input

    /// The peer has closed its side for writing, or altogether.
    private func endOfInput(_ slot: Int, _ readiness: Readiness) {
        guard let peer = sessions[slot].peer else { return }
        if let (bytes, count) = sessions[slot].input.terminateKept(), sessions[slot].splitter.isInsideLine {
            // A last line without its newline counts.
            _ = handle(bytes, bytes + count, from: peer, mayWait: false)
            sessions[slot].splitter = LineSplitter()
        }
        releaseInput(slot)
        if readiness.contains(.hangUp) { return close(slot) }
        broker.pointee.endInput(of: peer)
        watch(slot, sessions[slot].interest.subtracting(.input))
        if peer.pointee.isEnding { ending.append(slot) }
    }

    /// Nothing more is wanted from the peer; it goes when its output is written.
    private func end(_ slot: Int) {
        releaseInput(slot)
        watch(slot, sessions[slot].interest.subtracting(.input))
        ending.append(slot)
    }

    func finishEnding() {
        if ending.isEmpty { return broker.pointee.endWakeUp() }
        for slot in ending {
            if let peer = sessions[slot].peer, peer.pointee.isEnding, !peer.pointee.isBlocked { close(slot) }
        }
        ending.removeAll(keepingCapacity: true)
        // Closing said nothing more, but gave places back.
        broker.pointee.endWakeUp()
    }

    // MARK: What is not handled yet

    /// Keeps it on the account of its user. If there is no room for it the connection ends.
    @inline(never)
    private func keepInput(_ slot: Int, from start: Int) {
        guard let peer = sessions[slot].peer else { return }
        sessions[slot].input.keep(from: start, of: readBuffer)
        if !broker.pointee.keepInput(sessions[slot].input.size, of: peer) { end(slot) }
    }

    private func releaseInput(_ slot: Int) {
        sessions[slot].input.release()
        if let peer = sessions[slot].peer { broker.pointee.forgetInput(of: peer) }
    }

    // MARK: Others first

    /// The session has had much done for it: the rest waits until others have had their turn.
    private func hold(_ slot: Int, from start: Int, until time: UInt64? = nil) {
        keepInput(slot, from: start)
        guard sessions[slot].peer?.pointee.isEnding == false else { return }
        sessions[slot].isOnHold = true
        let until = time ?? sessions[slot].peer?.pointee.restsUntil ?? 0
        turns.wait(slot, until: until)
        // What it sends meanwhile is not read, and nobody needs to hear of it.
        if until > 0 { watch(slot, sessions[slot].interest.subtracting(.input)) }
    }

    /// If most of this wake-up was for the peer, its account rests as long as that has taken.
    private func rest(_ peer: PeerRef, after work: Int) {
        let now = SystemCalls.monotonicNanoseconds()
        broker.pointee.rest(peer, after: work, until: now + (now - broker.pointee.now.monotonic))
    }

    func takeTurns(all: Bool = false) {
        if turns.isEmpty { return }
        for slot in all ? turns.takeAll() : turns.take(at: broker.pointee.now.monotonic)
        where sessions[slot].isOpen && sessions[slot].isOnHold {
            if let peer = sessions[slot].peer, !isInItsShare(peer) {
                turns.wait(slot, until: 0)
                continue
            }
            sessions[slot].isOnHold = false
            watch(slot, sessions[slot].interest.union(.input))
            if sessions[slot].input.resume(in: readBuffer) { consume(slot, isItsTurn: true) }
        }
    }

    // MARK: Answers first

    func pause(_ slot: Int) {
        sessions[slot].isPaused = true
        watch(slot, sessions[slot].interest.subtracting(.input))
    }

    /// The answers have been read: on with the requests that wait.
    func resumePaused() {
        if broker.pointee.hasReleased { resuming.append(contentsOf: broker.pointee.takeReleased()) }
        if resuming.isEmpty { return }
        let slots = resuming
        resuming.removeAll(keepingCapacity: true)
        for slot in slots where sessions[slot].isOpen && sessions[slot].isPaused {
            guard let peer = sessions[slot].peer, !peer.pointee.isPaused, !peer.pointee.isEnding else { continue }
            sessions[slot].isPaused = false
            guard isInItsShare(peer) else {
                sessions[slot].isOnHold = true
                turns.wait(slot, until: 0)
                continue
            }
            watch(slot, sessions[slot].interest.union(.input))
            if sessions[slot].input.resume(in: readBuffer) { consume(slot) }
        }
    }
}
