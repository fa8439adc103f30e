// What happens by itself, when its time has come: one heap of deadlines for all of it, and the look at idle channels.

import NotifyWire

/// What a deadline is for. Whoever it points to keeps the key, and cancels the deadline before it goes.
enum Due: BitwiseCopyable {
    /// The channel's retained message expires.
    case retained(ChannelRef)
    /// All of a history may be too old.
    case history
    /// Keys of posts that must not be made twice have been remembered long enough.
    case dedup
    /// The post is made, or has been held back long enough.
    case held(HeldRef)
    /// A subscription may get the next message of a channel and subject.
    case paced(PaceRef)
    /// The posters that wait for room in the subscription's queue have waited long enough.
    case patience(SubscriptionRef)
}

extension Broker {
    /// When `tick` wants to be called, as monotonic nanoseconds; nil: nothing happens by itself.
    package var nextDeadline: UInt64? {
        // `mutating`, here and elsewhere: for another module, reading would copy the whole broker.
        mutating get {
            if newsWait || review != nil { return now.monotonic }
            let next = min(deadlines.next ?? .max, sweepDeadline ?? .max, nextLook ?? .max)
            return next == .max ? nil : next
        }
    }

    /// To be called at `nextDeadline`, when nothing of this wake-up is left to be written.
    package mutating func tick() {
        sweepIfDue()
        if review != nil { goOnReviewing() }
        makeOverdue()
        // What is left when there is enough to be written has its turn at once after that: it stays due.
        while !wantsWrite, let due = deadlines.takeDue(at: now.monotonic) {
            spend(Limits.workPerDeadline)
            happen(due)
        }
        keepAppointments()
    }

    mutating func happen(_ due: Due) {
        switch due {
        case .retained(let channel):
            channel.pointee.retained?.pointee.expiry = .none
            forgetRetained(channel)
        case .history:
            historyDeadline = .none
            forgetAged()
        case .dedup:
            dedupDeadline = .none
            forgetKeys()
        case .held(let post): makeDue(post)
        case .paced(let pace): endInterval(pace)
        case .patience(let subscription): losePatience(subscription)
        }
    }
}
