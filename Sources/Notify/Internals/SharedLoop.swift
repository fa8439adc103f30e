// The one event loop of the process: all centers share its thread and its descriptors.

import NotifyLock
import NotifyTransport

enum SharedLoop {
    private static let shared = Locked<EventLoop?>(nil)

    /// The loop; nil when the process has no descriptors left. A later call tries again.
    static func loop() -> EventLoop? {
        shared.withLock { shared in
            if shared == nil { shared = try? EventLoop(label: "notify.center") }
            return shared
        }
    }
}
