// `delay_ms`, `at` and `cancel`. A delay is counted by the clock that nobody sets; a time of day follows the wall clock:
// while one is pending it is looked at once a second, in case somebody has set it.

import NotifyWire

extension Broker {
    /// A post that is made later; the number that `cancel` knows it by, or why not.
    mutating func schedule(_ request: RequestRef, from peer: PeerRef) -> Result<UInt64, Refusal> {
        if let refusal = checkHold(request, peer) { return .failure(refusal) }
        let post = hold(request, by: HeldPost.Poster(peer))
        let number = nextNumber()
        held.scheduled[number] = post
        post.pointee.number = number
        if let at = request.pointee.terms.at {
            post.pointee.kind = .at
            makeAppointment(post, at: at)
        } else {
            post.pointee.kind = .delay
            let delay = request.pointee.terms.delay ?? 0
            post.pointee.deadline = deadlines.add(.held(post), at: now.monotonic + delay)
        }
        store(post)
        return .success(number)
    }

    /// A number for a post that is made later.
    mutating func nextNumber() -> UInt64 {
        held.lastNumber += 1
        if held.lastNumber > storage.scheduleMark { reserveNumbers() }
        return held.lastNumber
    }

    mutating func cancel(_ request: Request, from peer: PeerRef) {
        // What others have scheduled is not there for this one.
        guard let post = held.scheduled[request.schedule], mayCancel(post, peer) else {
            let refusal = Refusal(
                .unknownSchedule, "schedule \(request.schedule): no post of uid \(peer.pointee.uid) waits under it")
            return refuse(refusal, request.id, peer)
        }
        let isStored = post.pointee.isStored
        if isStored, storage.isFailing { return refuse(Self.storageFailed, request.id, peer) }
        held.remove(post)
        cancelDeadline(of: post)
        release(post)
        if isStored { acknowledgeStored(request, peer) } else { acknowledge(request, peer) }
    }

    private func mayCancel(_ post: HeldRef, _ peer: PeerRef) -> Bool {
        post.pointee.poster.uid == peer.pointee.uid
            || peer.pointee.profile.pointee.may(.admin, on: post.pointee.channel.pointee.name)
    }

    // MARK: The wall clock

    mutating func makeAppointment(_ post: HeldRef, at time: Int64) {
        post.pointee.deadline = appointments.add(.held(post), at: UInt64(max(0, time)))
        planLook()
    }

    mutating func keepAppointments() {
        guard nextLook != nil else { return }
        while !wantsWrite, let due = appointments.takeDue(at: wallTime) {
            spend(Limits.workPerDeadline)
            happen(due)
        }
        planLook()
    }

    private var wallTime: UInt64 { UInt64(max(0, now.wall)) }

    /// What is overdue is made at once, unless it has to wait for the store.
    mutating func planLook() {
        if !overdue.isEmpty, !storage.isFailing {
            nextLook = now.monotonic
        } else {
            nextLook = appointments.next.map {
                now.monotonic + ($0 <= wallTime ? 0 : min($0 - wallTime, Limits.lookNanoseconds))
            }
        }
    }
}
