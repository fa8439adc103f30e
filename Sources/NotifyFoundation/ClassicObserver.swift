// An observer of classic notifications that starts nothing any more once it was cancelled.

import Foundation
import NotifyLock

final class ClassicObserver: @unchecked Sendable {
    private let center: NotificationCenter
    /// What the center knows the observer by: only handed back to it, which is safe from any thread.
    private let token: any NSObjectProtocol
    private let isOpen: Locked<Bool>

    init(_ center: NotificationCenter, _ name: Notification.Name, _ body: @escaping @Sendable (Notification) -> Void) {
        let isOpen = Locked(true)
        self.isOpen = isOpen
        self.center = center
        token = center.addObserver(forName: name, object: nil, queue: nil) { notification in
            guard isOpen.withLock({ $0 }) else { return }
            body(notification)
        }
    }

    func cancel() {
        isOpen.withLock { $0 = false }
        center.removeObserver(token)
    }
}
