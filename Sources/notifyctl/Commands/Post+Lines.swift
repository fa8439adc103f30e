// `post --lines`: one connection, pipelined. One task cuts and sends, another takes the receipts: if both were one, the
// daemon could wait for us to read while we wait for it to read.
//
// Where rates are bounded there is one line under way at a time: of several, one that is refused could be overtaken by
// those behind it.

import Notify

extension Post {
    /// Posts that were sent together, each with the number of its line.
    private struct Batch: Sendable {
        var posts: [(line: Int, receipt: NotifyCenter.PendingReceipt)] = []
    }

    func postLines(asText: Bool, _ center: NotifyCenter, _ session: Session) async throws(Failure) {
        let input = StandardInput()
        let tally = Tally()
        session.watch.beforeDeath { _ in Diagnostics.say("post: interrupted: \(tally.text)") }
        let (batches, sent) = AsyncStream.makeStream(of: Batch.self)
        // So many batches may be under way: receipts that nobody can print must not pile up.
        let slots = Slots(32)
        let receipts = Task { () -> Failure? in
            await takeReceipts(batches, tally, slots, session) { isLost in
                input.stop()
                // The lines behind one that may be lost are not for the next daemon.
                if isLost { await center.shutdown(drainingFor: .zero) }
            }
        }
        let isPaced = endsAtRateLimit ? false : await Self.hasRateLimit(center)
        let mistake = await send(asText: asText, isPaced: isPaced, input, center, slots, sent)
        sent.finish()
        // A refusal stands on an earlier line than a mistake in what was still to be sent.
        if let failure = await receipts.value ?? mistake {
            throw Failure(failure.status, failure.text.map { "\($0); \(tally.text)" })
        }
    }

    /// Sends line by line until the input ends or a line is wrong.
    private func send(
        asText: Bool, isPaced: Bool, _ input: StandardInput, _ center: NotifyCenter, _ slots: Slots,
        _ sent: AsyncStream<Batch>.Continuation
    ) async -> Failure? {
        var lines = LineSplitter(limit: Self.limit(center))
        var batch = Batch()
        defer { sent.yield(batch) }
        do throws(Failure) {
            while !input.isStopped {
                await slots.take()
                if let chunk = try await input.next() { lines.feed(chunk) } else { lines.end() }
                let isOver = lines.isAtEnd
                while !input.isStopped, let line = try lines.next() {
                    if !asText, line.allSatisfy(JSONText.isSpace) { continue }
                    do throws(NotifyError) {
                        let payload = asText ? JSONText.string(line) : Array(line)
                        batch.posts.append((lines.number, try await submit(payload, isPaced: isPaced, center)))
                    } catch {
                        throw Self.failure(error, line: lines.number)
                    }
                    guard isPaced else { continue }
                    // Whoever reads the receipts shall not wait for the end of a slow batch.
                    sent.yield(batch)
                    batch.posts = []
                    await slots.take()
                }
                sent.yield(batch)
                batch.posts = []
                if isOver { return nil }
            }
            return nil
        } catch {
            return error
        }
    }

    /// Whether our account is refused what comes too fast. Whoever may not even ask so fast is.
    private static func hasRateLimit(_ center: NotifyCenter) async -> Bool {
        guard let statistics = try? await center.statistics() else { return true }
        return AccountUse.all(statistics).first?.limits?.hasRates ?? false
    }

    /// Sends a line; if it is `isPaced` it is accepted when this returns, however often it came too fast.
    private func submit(
        _ payload: [UInt8], isPaced: Bool, _ center: NotifyCenter
    ) async throws(NotifyError) -> NotifyCenter.PendingReceipt {
        while true {
            let receipt = try await center.submit(
                payload: payload, to: channel, type: type, subject: subject, options: options)
            guard isPaced else { return receipt }
            do throws(NotifyError) {
                _ = try await receipt.value
                return receipt
            } catch {
                guard error.code == .rateLimited else { throw error }
                try? await Task.sleep(for: error.retryAfter ?? .milliseconds(100))
            }
        }
    }

    /// Counts what was accepted; the first refusal stops the sending, what is under way is still counted.
    private func takeReceipts(
        _ batches: AsyncStream<Batch>, _ tally: Tally, _ slots: Slots, _ session: Session,
        stop: (_ isLost: Bool) async -> Void
    ) async -> Failure? {
        var output = session.makeOutput()
        let shows = isJSON || session.options.isVerbose
        var failure: Failure?
        for await batch in batches {
            for post in batch.posts {
                do throws(NotifyError) {
                    let receipt = try await post.receipt.value
                    tally.add()
                    if shows { output.add(line: text(of: receipt)) }
                } catch {
                    if failure == nil { failure = Self.failure(error, line: post.line) }
                    await stop(error.code == .notConnected)
                }
            }
            do throws(Failure) {
                try output.flush()
            } catch {
                if failure == nil { failure = error }
                await stop(false)
            }
            slots.give()
        }
        return failure
    }

    private static func failure(_ error: NotifyError, line: Int) -> Failure {
        let failure = Failure(error)
        return Failure(failure.status, "line \(line): \(failure.text ?? "")")
    }
}
