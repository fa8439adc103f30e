// A receipt that is still on its way.

extension NotifyCenter {
    /// A receipt that is still on its way.
    public struct PendingReceipt: Sendable {
        let answer: Answer

        /// The receipt, once the daemon has answered. May be asked for more than once.
        ///
        /// - Throws: the daemon's refusal; `notConnected` when the connection was lost before the answer came: the
        ///   message may or may not have been accepted then; `cancelled` when the waiting task is cancelled.
        public nonisolated(nonsending) var value: PostReceipt {
            get async throws(NotifyError) {
                PostReceipt(reply: try await answer.value)
            }
        }
    }
}
