// When posts that are made later are due, and what becomes of one whose time has come. One on a persistent channel waits
// while the store cannot be written, where a post that comes now would be refused; and one whose time came while there was
// no daemon is made at the start.

import NotifyWire

extension Broker {
    /// Its time has come.
    mutating func makeDue(_ post: HeldRef) {
        post.pointee.deadline = .none
        if mustWait(post) { return putOff(post, since: now.wall) }
        held.remove(post)
        make(post)
    }

    /// Made although its time may not have come.
    mutating func makeNow(_ post: HeldRef) {
        let late = post.pointee.isOverdue ? lateness(since: overdue.time(of: post.pointee.deadline)) : 0
        held.remove(post)
        cancelDeadline(of: post)
        make(post, late: late)
    }

    func mustWait(_ post: HeldRef) -> Bool { storage.isFailing && post.pointee.channel.pointee.isPersistent }

    /// It is made before others whose time comes, in the order of the times at which it should have been.
    mutating func putOff(_ post: HeldRef, since time: Int64) {
        post.pointee.isOverdue = true
        post.pointee.deadline = overdue.add(.held(post), at: UInt64(max(0, time)))
        planLook()
    }

    mutating func makeOverdue() {
        if overdue.isEmpty { return }
        while !wantsWrite, !storage.isFailing, let time = overdue.next,
            case .held(let post)? = overdue.takeDue(at: .max)
        {
            spend(Limits.workPerDeadline)
            post.pointee.deadline = .none
            held.remove(post)
            make(post, late: lateness(since: time))
        }
        planLook()
    }

    /// Nanoseconds since this time of the wall clock.
    private func lateness(since time: UInt64) -> UInt64 { UInt64(max(0, now.wall - Int64(clamping: time))) }

    /// When the post is made, by the wall clock.
    func dueTime(of post: HeldRef) -> Int64 {
        if post.pointee.isOverdue { return Int64(clamping: overdue.time(of: post.pointee.deadline)) }
        if post.pointee.kind == .at { return Int64(clamping: appointments.time(of: post.pointee.deadline)) }
        return now.wall + Int64(deadlines.time(of: post.pointee.deadline)) - Int64(now.monotonic)
    }

    mutating func cancelDeadline(of post: HeldRef) {
        if post.pointee.isOverdue {
            overdue.cancel(&post.pointee.deadline)
        } else if post.pointee.kind == .at {
            appointments.cancel(&post.pointee.deadline)
        } else {
            deadlines.cancel(&post.pointee.deadline)
        }
    }
}
