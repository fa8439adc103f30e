// `delay_ms`, `at` and `cancel`. A delay is counted by the clock that nobody sets; a time of day follows the wall clock:
// while one is pending it is looked at once a second, in case somebody has set it.

import NotifyWire

extension Broker {
    /// A post that is made later; the number that `cancel` knows it by, or why not.
    mutating func schedule(_ request: RequestRef, from peer: PeerRef) -> Result<UInt64, Refusal> {
        if let refusal = checkHold(request, peer) { return .failure(refusal) }
        let post = hold(request, from: peer)
        held.lastSchedule += 1
        let number = held.lastSchedule
        held.scheduled[number] = post
        post.pointee.schedule = number
        if let at = request.pointee.terms.at {
            post.pointee.followsWallClock = true
            post.pointee.deadline = appointments.add(.scheduled(post), at: UInt64(max(0, at)))
            planLook()
        } else {
            let delay = request.pointee.terms.delay ?? 0
            post.pointee.deadline = deadlines.add(.scheduled(post), at: now.monotonic + delay)
        }
        return .success(number)
    }

    mutating func makeScheduled(_ post: HeldRef) {
        post.pointee.deadline = .none
        held.scheduled[post.pointee.schedule] = nil
        make(post)
    }

    mutating func cancel(_ request: Request, from peer: PeerRef) {
        // What others have scheduled is not there for this one.
        guard let post = held.scheduled[request.schedule], post.pointee.poster.uid == peer.pointee.uid else {
            let refusal = Refusal(
                .unknownSchedule, "schedule \(request.schedule): no post of uid \(peer.pointee.uid) waits under it")
            return refuse(refusal, request.id, peer)
        }
        held.scheduled[request.schedule] = nil
        if post.pointee.followsWallClock {
            appointments.cancel(&post.pointee.deadline)
        } else {
            deadlines.cancel(&post.pointee.deadline)
        }
        release(post)
        acknowledge(request, peer)
    }

    // MARK: The wall clock

    mutating func keepAppointments() {
        guard nextLook != nil else { return }
        while !wantsWrite, let due = appointments.takeDue(at: wallTime) {
            spend(Limits.workPerDeadline)
            happen(due)
        }
        planLook()
    }

    private var wallTime: UInt64 { UInt64(max(0, now.wall)) }

    private mutating func planLook() {
        nextLook = appointments.next.map {
            now.monotonic + ($0 <= wallTime ? 0 : min($0 - wallTime, Limits.lookNanoseconds))
        }
    }
}
