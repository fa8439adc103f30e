// `listen`: prints messages as they come, or runs a command for each (Process/Jobs.swift).

import Notify

/// Listens until it is told to stop.
struct Listen: Command {
    static let name = "listen"
    static let operands = "PATTERN…"
    static let summary = "Prints the messages on all channels that match, or runs a command for each."
    static let notes = """
        Lost messages are told on stderr, in their place. When the daemon goes away, listening goes on once it is back.
        On a terminal nothing is printed that a terminal obeys or hides, in whatever shape: JSON has escapes for it.
        A command run by --exec finds NOTIFY_CHANNEL, NOTIFY_TYPE, NOTIFY_SUBJECT, NOTIFY_SEQ, NOTIFY_POS, NOTIFY_EPOCH,
        NOTIFY_TIME, NOTIFY_PID, NOTIFY_UID and NOTIFY_REPLAY (1 for the past that --replay asks for) in its environment.
        Another time --replay "pos:$NOTIFY_POS/$NOTIFY_EPOCH" goes on behind that message. Messages that come while it
        runs wait, at most as many as --buffer says; runs that have begun are waited for at the end. A run that fails is
        told on stderr and changes no status; a command that cannot be started ends listen with 1.
        \(RecordOptions.notes)
        """
    static let options = ListenOptions.table
    static let endsWithItsReader = true

    /// Bytes that are written at once at most.
    private static let batchBytes = 1 << 16

    static func meaning(ofOperand index: Int) -> Meaning { .pattern }

    var options: ListenOptions

    init(_ arguments: Arguments) throws(Failure) { options = try ListenOptions(arguments) }

    func run(_ session: Session) async throws(Failure) -> ExitCode {
        if options.command == nil { try session.makeOutput().requireOpen() }
        let jobs = options.command.map { Jobs(command: $0, limit: options.jobs, session) }
        let clock = ListenClock(options, session.watch) { status in
            // The listening task may be stuck in a write, so it is not asked.
            guard let jobs else { leave(status) }
            jobs.stop()
            Task.detached {
                await jobs.finish()
                leave(status)
            }
        }
        clock.start()
        try await session.awaitDaemon()
        let center = session.makeCenter(reconnects: options.reconnects)
        let events = center.rawEvents(matching: options.patterns, options: options.subscription)
        try await session.ready(center)
        var sink = ListenSink(RecordPrinter(options.records, session, center), session.makeOutput(), jobs)
        let status = try await take(events, &sink, clock)
        clock.stop()
        await jobs?.finish()
        await session.close(center)
        return status
    }

    private func take(
        _ events: NotifyCenter.RawEvents, _ sink: inout ListenSink, _ clock: ListenClock
    ) async throws(Failure) -> ExitCode {
        var left = options.count
        var iterator = events.makeAsyncIterator()
        clock.waits()
        while let event = try await next(&iterator) {
            clock.works()
            switch event {
            case .message(let message):
                try await sink.take(message)
                if let count = left {
                    left = count - 1
                    if count == 1 {
                        try sink.flush()
                        return .done
                    }
                }
            case .gap(let gap):
                try sink.flush()
                Diagnostics.say("listen: \(gap.sentence)")
                if options.failsOnGap, gap.isLoss { return .lost }
            case .live:
                if options.endsWhenLive {
                    try sink.flush()
                    return .done
                }
            case .disconnected(let error):
                try sink.flush()
                if !options.reconnects { throw Failure(error) }
                let reason = Printable.text(error.message)
                Diagnostics.say("listen: the daemon went away (\(reason)); waiting for it to come back")
            case .reconnected:
                Diagnostics.say("listen: the daemon is back")
            }
            // What came together is written together, and nothing is kept back while we wait.
            if iterator.isNextReady, sink.pendingBytes < Self.batchBytes { continue }
            try sink.flush()
            clock.waits()
        }
        throw Failure(.unavailable, "the daemon went away")
    }

    private func next(
        _ iterator: inout NotifyCenter.RawEvents.AsyncIterator
    ) async throws(Failure) -> NotifyCenter.RawEvent? {
        do {
            return try await iterator.next()
        } catch {
            throw Failure(error)
        }
    }
}

extension NotifyCenter.Gap {
    /// Messages are missing that somebody could have wanted; the others were asked for.
    var isLoss: Bool { reason != .coalesced && reason != .expired }

    /// What is missing, for a person.
    var sentence: String {
        let place = channel.map { " on \($0)" } ?? ""
        let amount =
            switch count {
            case 1?: "1 message is missing"
            case let count?: "\(count) messages are missing"
            case nil: "messages are missing"
            }
        let range: String? =
            switch (from, to) {
            case (let from?, let to?): from == to ? "seq \(from)" : "seq \(from) to \(to)"
            case (let from?, nil): "from seq \(from)"
            case (nil, let to?): "up to seq \(to)"
            case (nil, nil): nil
            }
        return
            "gap\(place): \(amount) (\([range, Printable.text(reason.rawValue)].compactMap(\.self).joined(separator: ", ")))"
    }
}
