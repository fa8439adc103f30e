// The will: what others are told when this program is suddenly gone.

extension NotifyCenter {
    /// Leaves a message with the daemon that is posted when this center's connection is lost without goodbye: when the
    /// process ends in whatever way, or lets go of the center, without ``shutdown(drainingFor:)``.
    ///
    /// ```swift
    /// try await center.post(Presence(isOnline: true), options: .retained)
    /// try await center.setWill(Presence(isOnline: false), options: .retained)
    /// ```
    ///
    /// A newer will replaces it. If the connection is lost and made again, the will was posted, and is left anew: a program
    /// that tells of its presence should do so again then (see ``states``). A daemon that is stopped in good order posts no
    /// wills.
    ///
    /// Of the options a will can have `retain`, `priority` and `timeToLive`, which begins when the will is posted.
    ///
    /// - Throws: `invalidArgument` for other options; else what a post throws.
    public nonisolated(nonsending) func setWill<M: Message>(
        _ message: M, subject: Subject? = nil, options: PostOptions = PostOptions()
    ) async throws(NotifyError) {
        try options.checkForWill()
        try await link.setWill(try draft(message, subject, options))
    }

    /// Leaves bytes with the daemon that are posted when this center's connection is lost without goodbye.
    ///
    /// The payload is one JSON value; all else is as for ``setWill(_:subject:options:)``.
    ///
    /// - Throws: `invalidJSON` with the offset; `invalidArgument` for options that a will cannot have; else what a post
    ///   throws.
    public nonisolated(nonsending) func setWill(
        payload: some Sequence<UInt8>, to channel: Channel, type: String? = nil, subject: Subject? = nil,
        options: PostOptions = PostOptions()
    ) async throws(NotifyError) {
        try options.checkForWill()
        try await link.setWill(try draft(payload, channel, type, subject, options))
    }

    /// Takes the will back: nothing is posted when the connection is lost.
    public nonisolated(nonsending) func removeWill() async throws(NotifyError) {
        try await link.setWill(nil)
    }
}

extension NotifyCenter.PostOptions {
    /// A will is posted when the connection is lost, whatever is the case then.
    fileprivate func checkForWill() throws(NotifyError) {
        var allowed = Self(retain: retain, timeToLive: timeToLive)
        allowed.priority = priority
        guard self == allowed else {
            throw NotifyError(.invalidArgument, "a will can have the options retain, timeToLive and priority only")
        }
    }
}
