// What clients of a play read: answers are compared at once, messages are kept for the end.

import Foundation
import NotifyTestSupport

@testable import NotifyBroker

extension Play {
    func listen() {
        for actor in actors { listen(to: actor) }
        // Who said bye and has everything goes.
        for actor in actors where actor.saidBye && !actor.client.isBlocked { leave(actor) }
    }

    func listen(to actor: Actor) {
        var isWhole = !actor.isInsideLine
        for text in actor.client.readRaw() {
            let line = JSON(text)
            switch line.op {
            case "message": hear(message: line, text, isWhole, actor)
            case "gap": hear(gap: line, actor)
            case "live":
                guard let life = life(of: line, actor) else { break }
                if life.isLive { fail("\(life.label): live twice") }
                life.isLive = true
            case "error" where line["id"] == .null: hear(end: line, actor)
            default: hear(answer: line, actor)
            }
            isWhole = true
        }
        actor.isInsideLine = actor.client.partial > 0
    }

    private func life(of line: JSON, _ actor: Actor) -> Life? {
        let life = actor.heard[line["sub"].int ?? -1]
        if life == nil { fail("for a subscription that is not there: \(line)") }
        return life
    }

    private func hear(message line: JSON, _ text: String, _ isWhole: Bool, _ actor: Actor) {
        guard let life = life(of: line, actor), let position = line["pos"].int else { return }
        guard truth.indices.contains(position - 1) else { return fail("nobody posted \(text)") }
        if features.contains(.store), truth[position - 1].post.isPersistent, !settled.contains(position) {
            fail("\(life.label): \(position) is not on disk")
        }
        let isReplay = line["replay"].bool == true
        let body = Self.body(of: isReplay ? text.replacingOccurrences(of: #""replay":true,"#, with: "") : text)
        if body != bodies[position - 1] { fail("\(text) instead of \(bodies[position - 1])") }
        if isReplay {
            if life.isLive { fail("\(life.label): a replay after live") }
            life.past?.events.append(.message(position: position))
            return
        }
        if !life.isLive, life.past != nil { fail("\(life.label): \(position) before live") }
        life.events.append(.message(position: position, time: isWhole ? stage.now.monotonic : 0))
    }

    private func hear(gap line: JSON, _ actor: Actor) {
        guard let life = life(of: line, actor) else { return }
        if life.past != nil, !life.isLive { return hear(pastGap: line, life) }
        life.events.append(
            .gap(
                Life.Gap(
                    channel: line["channel"].text, from: line["from"].int ?? -1, to: line["to"].int ?? -1,
                    count: line["count"].int ?? -1, reason: line["reason"].text, time: stage.now.monotonic)))
    }

    private func hear(pastGap line: JSON, _ life: Life) {
        let channel = line["channel"].text ?? ""
        let gap = Past.Gap(
            from: line["from"].int, to: line["to"].int ?? -1, count: line["count"].int, reason: line["reason"].text,
            time: stage.now.monotonic, sequence: sequences[channel] ?? 0)
        life.past?.events.append(.gap(gap, channel: channel))
    }

    /// A subscription with policy `fail` has ended.
    private func hear(end line: JSON, _ actor: Actor) {
        guard line.code == "overflow", let number = line["sub"].int, let life = life(of: line, actor),
            life.wishes.policy == "fail"
        else { return fail("\(line)") }
        life.hasOverflowed = true
        actor.heard[number] = nil
        if actor.asked[number] === life { actor.asked[number] = nil }
    }

    private func hear(answer line: JSON, _ actor: Actor) {
        guard !actor.awaited.isEmpty else { return fail("nobody asked for \(line)") }
        let (id, meaning) = actor.awaited.removeFirst()
        if line["id"].int != id { return fail("\(line) instead of the answer to \(id)") }
        let isRight: Bool
        switch meaning {
        case .ok(let piece): isRight = hasFailed(piece, line) ?? (line.op == "ok")
        case .refused(let code):
            isRight = line.code == code
            met.formUnion(["conflict": "a conflict", "no_subscribers": "nobody"][code].map { [$0] } ?? [])
        case .subscribed(let number, let life):
            actor.heard[number] = life
            isRight = line["sub"].int == number && line["pos"].int == life.start
        case .unsubscribed(let number):
            // It may have ended before.
            isRight = line.op == "ok" || line.code == "unknown_subscription"
            actor.heard[number] = nil
        case .posts(let posts, let isBatch, let piece, let isLenient):
            if let verdict = hasFailed(piece, line)
                ?? (isLenient && line.op == "error" ? line.code == "storage_failed" : nil)
            {
                isRight = verdict
                break
            }
            let results = isBatch ? line["results"].elements : [line]
            isRight =
                line.op == "ok" && results.count == posts.count
                && zip(posts, results).allSatisfy { self.isRight($1, for: $0.answer, of: $0.number) }
        }
        if !isRight { fail("answered \(line), where \(meaning) was awaited") }
    }

    /// Whether the answer is the right one to a request that was not written, nil: it was, or needs not be.
    private func hasFailed(_ piece: Int?, _ line: JSON) -> Bool? {
        guard let piece else { return nil }
        if piece >= pieces.count || isWriting && piece == pieces.count - 1 { fail("too early: \(line)") }
        return failedPieces.contains(piece) ? line.code == "storage_failed" : nil
    }

    private func isRight(_ result: JSON, for answer: Model.Answer, of number: Int) -> Bool {
        let receipt: Receipt? =
            if let position = result["pos"].int {
                .position(position)
            } else if let schedule = result["schedule"].int {
                .schedule(schedule)
            } else {
                result["replaced"].bool.map { .held($0) }
            }
        guard let receipt else { return false }
        if case .duplicate(let first) = answer {
            doubles.append((first, receipt))
            return result["duplicate"].bool == true
        }
        said[number] = receipt
        switch (answer, receipt) {
        case (.made(let matched), .position): return matched.contains(result["matched"].int ?? -1)
        case (.scheduled, .schedule(let schedule)):
            schedules[number] = schedule
            return true
        case (.held(let hasReplaced), .held(let said)):
            if said { met.insert("a replaced post") }
            return hasReplaced == said
        default: return false
        }
    }
}
