// What keeps an observer: cancelled by hand or by going away.

extension NotifyCenter {
    /// Keeps an observer. Cancelling the token, or letting go of it, ends the observer.
    public final class ObservationToken: Sendable {
        private let onCancel: @Sendable () -> Void

        package init(onCancel: @escaping @Sendable () -> Void) {
            self.onCancel = onCancel
        }

        deinit {
            onCancel()
        }

        /// Ends the observer. Once this returns, its handler does not start any more.
        ///
        /// A handler that runs already is not stopped. One that is just being started on another thread is waited for
        /// until it suspends or returns, at most a tenth of a second; from within the handler this returns at once.
        public func cancel() {
            onCancel()
        }

        /// Keeps the token in a set.
        public func store(in tokens: inout Set<ObservationToken>) {
            tokens.insert(self)
        }

        /// Keeps the token in an array.
        public func store(in tokens: inout [ObservationToken]) {
            tokens.append(self)
        }
    }
}

extension NotifyCenter.ObservationToken: Hashable {
    /// Tokens are equal when they are the same.
    public static func == (left: NotifyCenter.ObservationToken, right: NotifyCenter.ObservationToken) -> Bool {
        left === right
    }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
