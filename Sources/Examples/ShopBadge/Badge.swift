// The model of a badge on the main actor. Whoever posts, from whichever process: the compiler sees to it that the change
// is made on the main actor, and when the badge is gone, so is its observer.

import Notify
import Observation

@MainActor @Observable final class Badge {
    private(set) var count = 0
    @ObservationIgnored private var token: NotifyCenter.ObservationToken?

    init(center: NotifyCenter) {
        token = center.addMainActorObserver(for: CartDidChange.self, context: self) { badge, change in
            badge.count = change.itemCount
        }
    }
}
