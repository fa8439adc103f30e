// One queue, one set: order, readiness, deadlines, and handlers that go in the middle of things.

import Foundation
import NotifyTransport
import Testing

@Suite("The event loop")
struct EventLoopTests {
    private final class Record: @unchecked Sendable {
        /// To be used on the loop's queue.
        var entries: [(thread: Int, number: Int)] = []
    }

    @Test("runs what each thread submits in the thread's order, and loses nothing")
    func submissions() async throws {
        let loop = try EventLoop(label: "test")
        let record = Record()
        let (threads, blocks) = (8, 400)
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<threads {
                group.addTask {
                    for number in 0..<blocks {
                        loop.execute { record.entries.append((thread, number)) }
                    }
                }
            }
        }
        let counts = await loop.run { record.entries.count }
        #expect(counts == threads * blocks)
        for thread in 0..<threads {
            let numbers = await loop.run { record.entries.filter { $0.thread == thread }.map(\.number) }
            #expect(numbers == Array(0..<blocks))
        }
        loop.stop(onQueue: ())
    }

    @Test("runs blocks on its queue, also those submitted from there")
    func onQueue() async throws {
        let loop = try EventLoop(label: "test")
        await withCheckedContinuation { continuation in
            loop.execute {
                dispatchPrecondition(condition: .onQueue(loop.queue))
                loop.execute {
                    dispatchPrecondition(condition: .onQueue(loop.queue))
                    continuation.resume()
                }
            }
        }
        loop.stop(onQueue: ())
    }

    @Test("tells readiness with the token, then the end of the wake-up, again and again until it is read")
    func readiness() async throws {
        let loop = try EventLoop(label: "test")
        let pair = SocketPair()
        let probe = Probe { _, _ in }
        pair.send("x")
        let fault = await loop.run {
            probe.id = loop.addHandler(probe)
            return loop.add(pair.near, .input, token: 77, for: probe.id)
        }
        #expect(fault == nil)
        #expect(
            await probe.next(4) == [
                .ready(.input, token: 77), .wakeUpEnded, .ready(.input, token: 77), .wakeUpEnded,
            ])
        await loop.run { loop.remove(pair.near) }
        loop.stop(onQueue: ())
    }

    @Test("tells everything just the same when it asks again before it sleeps", arguments: [0, 50_000, 1_000_000])
    func spinning(nanoseconds: UInt64) async throws {
        let loop = try EventLoop(label: "test", spin: nanoseconds)
        let pair = SocketPair()
        let probe = Probe { _, _ in
            var bytes = [UInt8](repeating: 0, count: 16)
            _ = SystemCalls.read(pair.near, &bytes, bytes.count)
        }
        await loop.run {
            probe.id = loop.addHandler(probe)
            _ = loop.add(pair.near, .input, token: 1, for: probe.id)
        }
        for _ in 0..<200 {
            pair.send("x")
            #expect(await probe.next(2) == [.ready(.input, token: 1), .wakeUpEnded])
        }
        let deadline = SystemCalls.monotonicNanoseconds() + 1_000_000
        await loop.run { loop.setDeadline(deadline, for: probe.id) }
        guard case .deadline(let now)? = await probe.next(1).first else {
            Issue.record("no deadline")
            return
        }
        #expect(now >= deadline)
        #expect(await loop.run { 7 } == 7)
        await loop.run { loop.remove(pair.near) }
        loop.stop(onQueue: ())
    }

    @Test("watches for what was asked, as it was asked last")
    func interest() async throws {
        let loop = try EventLoop(label: "test")
        let pair = SocketPair()
        let probe = Probe { _, token in if token == 2 { loop.remove(pair.near) } }
        let faults = await loop.run {
            probe.id = loop.addHandler(probe)
            return [
                loop.add(pair.near, .input, token: 1, for: probe.id),
                loop.modify(pair.near, .output, token: 2, for: probe.id),
            ]
        }
        #expect(faults == [nil, nil])
        #expect(await probe.next(2) == [.ready(.output, token: 2), .wakeUpEnded])
        loop.stop(onQueue: ())
    }

    @Test("tells a hang-up")
    func hangUp() async throws {
        let loop = try EventLoop(label: "test")
        let pair = SocketPair()
        let probe = Probe { _, _ in loop.remove(pair.near) }
        pair.closeFar()
        _ = await loop.run {
            probe.id = loop.addHandler(probe)
            return loop.add(pair.near, [], token: 1, for: probe.id)
        }
        #expect(await probe.next(1) == [.ready(.hangUp, token: 1)])
        loop.stop(onQueue: ())
    }

    @Test("says which call the kernel refused")
    func refusals() async throws {
        let loop = try EventLoop(label: "test")
        let probe = Probe()
        let faults = await loop.run {
            probe.id = loop.addHandler(probe)
            return [
                loop.add(9999, .input, token: 1, for: probe.id), loop.modify(9999, .input, token: 1, for: probe.id),
            ]
        }
        #expect(faults == [SystemError(.epollControl, EBADF), SystemError(.epollControl, EBADF)])
        loop.stop(onQueue: ())
    }

    @Test("does not call a handler that was removed earlier in the same wake-up")
    func removalWithinWakeUp() async throws {
        let loop = try EventLoop(label: "test")
        let (one, other) = (SocketPair(), SocketPair())
        final class Two: @unchecked Sendable { var called = 0 }
        let two = Two()
        one.send("x")
        other.send("x")
        // Whoever comes first takes the other one out.
        let probes = [Two(), Two()].map { _ in Reference() }
        for (index, reference) in probes.enumerated() {
            reference.probe = Probe { _, _ in
                two.called += 1
                loop.remove(one.near)
                loop.remove(other.near)
                if let id = probes[1 - index].probe?.id { loop.removeHandler(id) }
            }
        }
        await loop.run {
            for (reference, pair) in zip(probes, [one, other]) {
                guard let probe = reference.probe else { continue }
                probe.id = loop.addHandler(probe)
                _ = loop.add(pair.near, .input, token: 0, for: probe.id)
            }
        }
        // The next wake-up after this one proves that the first is over.
        await loop.run {}
        await loop.run {}
        #expect(await loop.run { two.called } == 1)
        loop.stop(onQueue: ())
    }

    private final class Reference: @unchecked Sendable {
        var probe: Probe?
    }

    @Test("gives the place of a removed handler to the next")
    func places() async throws {
        let loop = try EventLoop(label: "test")
        let ids = await loop.run {
            let first = loop.addHandler(Probe())
            let second = loop.addHandler(Probe())
            loop.removeHandler(first)
            return [first, second, loop.addHandler(Probe())]
        }
        #expect(ids[0] == ids[2])
        #expect(ids[0] != ids[1])
        loop.stop(onQueue: ())
    }

    @Test("calls at the deadline, not before it, and once")
    func deadline() async throws {
        let loop = try EventLoop(label: "test")
        let probe = Probe()
        let due = SystemCalls.monotonicNanoseconds() + 5_000_000
        await loop.run {
            probe.id = loop.addHandler(probe)
            loop.setDeadline(due, for: probe.id)
        }
        let events = await probe.next(2)
        guard case .deadline(let now) = events[0] else {
            Issue.record("\(events)")
            return
        }
        #expect(now >= due)
        #expect(events[1] == .wakeUpEnded)
        // A second one for the same handler: nothing of the first comes in between.
        let later = SystemCalls.monotonicNanoseconds() + 1_000_000
        await loop.run { loop.setDeadline(later, for: probe.id) }
        guard case .deadline(let second)? = await probe.next(1).first else {
            Issue.record("no second call")
            return
        }
        #expect(second >= later)
        loop.stop(onQueue: ())
    }

    @Test("calls each of several handlers once, none before its time, and none that took its deadline back")
    func severalDeadlines() async throws {
        let loop = try EventLoop(label: "test")
        let record = Record()
        final class Timed: EventHandler {
            let due: UInt64
            let called: (_ isEarly: Bool) -> Void
            init(due: UInt64, called: @escaping (_ isEarly: Bool) -> Void) {
                (self.due, self.called) = (due, called)
            }
            func ready(_ readiness: Readiness, token: UInt32) {}
            func wakeUpEnded() {}
            func deadlineReached(_ now: UInt64) { called(now < due) }
        }
        await withCheckedContinuation { continuation in
            loop.execute {
                let now = SystemCalls.monotonicNanoseconds()
                for (number, delay) in [(3, 9), (1, 1), (2, 3), (4, 5)] as [(Int, UInt64)] {
                    let due = now + delay * 1_000_000
                    let handler = Timed(due: due) { isEarly in
                        record.entries.append((isEarly ? -1 : 0, number))
                        if record.entries.count == 3 { continuation.resume() }
                    }
                    let id = loop.addHandler(handler)
                    loop.setDeadline(due, for: id)
                    if number == 4 { loop.setDeadline(nil, for: id) }
                }
            }
        }
        #expect(await loop.run { record.entries.map(\.number).sorted() } == [1, 2, 3])
        #expect(await loop.run { record.entries.allSatisfy { $0.thread == 0 } })
        loop.stop(onQueue: ())
    }

    @Test("that has passed already is called at once")
    func pastDeadline() async throws {
        let loop = try EventLoop(label: "test")
        let probe = Probe()
        await loop.run {
            probe.id = loop.addHandler(probe)
            loop.setDeadline(1, for: probe.id)
        }
        guard case .deadline? = await probe.next(1).first else {
            Issue.record("not called")
            return
        }
        loop.stop(onQueue: ())
    }

    @Test("calls nobody after it was stopped")
    func stopped() async throws {
        let loop = try EventLoop(label: "test")
        let pair = SocketPair()
        let record = Record()
        let probe = Probe { _, _ in
            record.entries.append((0, 0))
            loop.stop()
        }
        pair.send("x")
        await loop.run {
            probe.id = loop.addHandler(probe)
            _ = loop.add(pair.near, .input, token: 0, for: probe.id)
        }
        // The queue itself goes on; whatever the loop would still do stands before this.
        await withCheckedContinuation { continuation in
            loop.queue.async { continuation.resume() }
        }
        #expect(loop.queue.sync { record.entries.count } == 1)
    }

    @Test("gives its descriptors back")
    func descriptors() async throws {
        for _ in 0..<100 {
            let loop = try EventLoop(label: "test")
            await loop.run {}
            loop.stop(onQueue: ())
            loop.queue.sync {}
        }
        // Tests that run beside this one have a few of their own.
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
        #expect(open.count { $0 == "anon_inode:[timerfd]" } < 50)
    }
}

extension EventLoop {
    /// Stops from outside the queue.
    fileprivate func stop(onQueue: Void) { execute { self.stop() } }
}
