// The end of a play: what became of everything.

import NotifyTestSupport

@testable import NotifyBroker

extension Play {
    /// Everybody reads all there is, all that is due happens, everybody leaves; then it is looked at what became of all.
    func finish() {
        guard fault == nil else { return }
        stage.goesOn = true
        for _ in 0..<6 {
            for actor in actors { actor.client.unblock() }
            listen()
            pass(200)
            for _ in 0..<3 { useStore(mayFail: false) }
            if isWriting { useStore(mayFail: false) }
            listen()
        }
        for actor in actors where actor.client.isBlocked { fail("client \(actor.number) has not got everything") }
        for actor in actors where !actor.awaited.isEmpty { fail("client \(actor.number) was not answered") }
        for life in lives {
            if let fault = life.fault(truth, isPatient: isPatient) {
                fail(fault)
            }
        }
        for circle in circles { if let fault = circle.fault(truth) { fail(fault) } }
        for actor in actors { leave(actor) }
        stage.wakeUp {}
        checkFates()
        checkStore()
        checkStage()
    }

    private var isPatient: Bool { features.contains(.patience) && !features.contains(.narrowConnections) }

    private func checkFates() {
        let made = Dictionary(grouping: truth, by: \.post.number)
        for (number, post) in model.posts {
            let times = made[number, default: []].map(\.made)
            let expected: [UInt64]? =
                switch model.fates[number] {
                case .never: []
                case .once(let time): [time]
                case nil: nil
                }
            if times != expected { fail("post \(post) was made at \(times), not \(expected as Any)") }
        }
        for (number, receipt) in said {
            guard case .position(let position) = receipt else { continue }
            if truth[position - 1].post.number != number { fail("the receipt of \(number) says \(position)") }
        }
        for (first, receipt) in doubles {
            if let known = said[first], known != receipt { fail("a double of \(first) was answered with \(receipt)") }
        }
    }

    private func checkStore() {
        guard features.contains(.store) else { return }
        let stored =
            pieces.flatMap(\.self) + (stage.takeOperations(evenIfNone: true) ?? []).messages.map { Int($0.position) }
        let expected = truth.filter(\.post.isPersistent).map(\.position)
        if stored != expected { fail("stored \(stored), not \(expected)") }
        stage.settle()
    }

    private func checkStage() {
        if stage.pins != 0 { fail("\(stage.pins) pins are left") }
        if stage.chunkBytes != 0 { fail("\(stage.chunkBytes) bytes of chunks are left") }
        if stage.patternCount != 0 { fail("\(stage.patternCount) patterns are left") }
        if stage.unsaid != 0 { fail("\(stage.unsaid) replays are left") }
        if stage.heldPeers != 0 { fail("\(stage.heldPeers) peers are held") }
        if stage.usedByConnections != 0 { fail("accounts have something of connections that have gone") }
        stage.onAccept = nil
        let state = stage.statistics
        for key in ["subscriptions", "queued_messages", "queued_bytes"] where state[key].int != 0 {
            fail("\(key) is \(state[key])")
        }
    }
}
