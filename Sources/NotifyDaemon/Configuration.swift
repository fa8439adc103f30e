// What an administrator can set. Every key has a good default, and no file is needed.

package import NotifyBroker

package struct Configuration: Equatable, Sendable {
    /// Where to listen when systemd passes no socket; nil: the place for this user.
    package var socket: String?
    /// Rights of a socket file that we make.
    package var mode: UInt32 = 0o600
    package var logLevel = Log.Level.info
    /// How long the daemon asks for the next request without sleeping while requests come closely, in microseconds.
    package var spinMicroseconds = 50
    /// Where persistent channels are kept, unless systemd says where; nil: the place for this user.
    package var stateDirectory: String?
    package var limits = Limits()
    /// The first that matches a channel counts for it.
    package var channelRules: [ChannelRule] = []

    /// The first that is about what is asked decides; the built-in ones stand behind these.
    package var accessRules: [AccessRule] = []
    /// The group whose members use the system's daemon.
    package var community: UInt32?

    static let communityName = "notify"
    static let accessRuleLimit = 1000
    /// The first that is about somebody counts for them, instead of what the limits say.
    package var quotas: [QuotaRule] = []

    static let spinRange = 0...1000
    static let channelRuleLimit = 200
    static let quotaLimit = 200
    static let rateRange = 0...(1 << 31)

    package init() {}

    typealias LimitKey = (name: String, path: any WritableKeyPath<Limits, Int> & Sendable, range: ClosedRange<Int>)

    /// The limits by the names they have in the file and in error messages.
    static let limitKeys: [LimitKey] = [
        ("line_bytes", \.lineBytes, 8192...(64 << 20)),
        ("clients", \.clients, 1...1_000_000),
        ("clients_per_uid", \.clientsPerUID, 1...1_000_000),
        ("connects_per_s_per_uid", \.connectsPerSecondPerUID, rateRange),
        ("subscriptions", \.subscriptions, 1...10_000_000),
        ("subscriptions_per_uid", \.subscriptionsPerUID, 1...10_000_000),
        ("subscriptions_per_client", \.subscriptionsPerClient, 1...1_000_000),
        ("traces", \.traces, 0...10_000),
        ("traces_per_uid", \.tracesPerUID, 0...10_000),
        ("queue_messages", \.queueMessages, 1...10_000_000),
        ("queue_bytes", \.queueBytes, 1024...(1 << 30)),
        ("client_queue_bytes", \.clientQueueBytes, 1024...(1 << 30)),
        ("queued_bytes", \.queuedBytes, 1024...(1 << 34)),
        ("queued_bytes_per_uid", \.queuedBytesPerUID, 1024...(1 << 34)),
        ("input_bytes", \.inputBytes, 1024...(1 << 34)),
        ("input_bytes_per_uid", \.inputBytesPerUID, 1024...(1 << 34)),
        ("block_ms", \.blockMilliseconds, 0...60_000),
        ("retained_bytes", \.retainedBytes, 0...(1 << 30)),
        ("retained_bytes_per_uid", \.retainedBytesPerUID, 0...(1 << 30)),
        ("history_bytes", \.historyBytes, 0...(1 << 34)),
        ("history_bytes_per_uid", \.historyBytesPerUID, 0...(1 << 34)),
        ("scheduled_posts", \.scheduledPosts, 0...10_000_000),
        ("scheduled_posts_per_uid", \.scheduledPostsPerUID, 0...10_000_000),
        ("scheduled_bytes", \.scheduledBytes, 0...(1 << 30)),
        ("scheduled_bytes_per_uid", \.scheduledBytesPerUID, 0...(1 << 30)),
        ("dedup_window_s", \.dedupWindowSeconds, 1...86_400),
        ("dedup_bytes", \.dedupBytes, 0...(1 << 30)),
        ("dedup_bytes_per_uid", \.dedupBytesPerUID, 0...(1 << 30)),
        ("messages_per_s_per_uid", \.messagesPerSecondPerUID, rateRange),
        ("messages_per_s_per_client", \.messagesPerSecondPerClient, rateRange),
        ("bytes_per_s_per_uid", \.bytesPerSecondPerUID, rateRange),
        ("bytes_per_s_per_client", \.bytesPerSecondPerClient, rateRange),
        ("burst_s", \.burstSeconds, 1...3600),
        ("channels", \.channels, 1...10_000_000),
    ]

    /// What a change to `other` would mean, a line each.
    ///
    /// - Parameters:
    ///   - first: with which the daemon has started; what counts from the next start on is told when it is not that.
    ///   - hasOwnSocket: systemd has not passed the sockets.
    package func changes(
        to other: Configuration, startedWith first: Configuration? = nil, hasOwnSocket: Bool = true
    ) -> [String] {
        var lines: [String] = []
        func isForLater(_ path: KeyPath<Configuration, some Equatable>) -> Bool {
            let value = other[keyPath: path]
            return value != self[keyPath: path] && value != (first ?? self)[keyPath: path]
        }
        if hasOwnSocket, isForLater(\.socket) { lines.append("socket: at the next start") }
        if hasOwnSocket, isForLater(\.mode) { lines.append("mode: at the next start") }
        if isForLater(\.stateDirectory) { lines.append("state_directory: at the next start") }
        if isForLater(\.spinMicroseconds) { lines.append("spin_us: at the next start") }
        if logLevel != other.logLevel { lines.append("log_level: \(logLevel.name) → \(other.logLevel.name)") }
        for key in Self.limitKeys where limits[keyPath: key.path] != other.limits[keyPath: key.path] {
            lines.append("limits.\(key.name): \(limits[keyPath: key.path]) → \(other.limits[keyPath: key.path])")
        }
        if channelRules != other.channelRules { lines.append("channels: \(Self.describe(other.channelRules))") }
        return lines + quotaChanges(to: other) + accessChanges(to: other)
    }

    /// All keys and their values, in the format of the file.
    package var description: String {
        let limits = Self.limitKeys.map { "        \"\($0.name)\": \(self.limits[keyPath: $0.path])" }
        let place = socket.map { "    \"socket\": \($0.quoted),\n" } ?? ""
        let state = stateDirectory.map { "\n    \"state_directory\": \($0.quoted)," } ?? ""
        return """
            {
            \(place)    "mode": "\(String(mode, radix: 8).leftPadded(to: 4))",
                "log_level": "\(logLevel.name)",
                "spin_us": \(spinMicroseconds),\(state)
                "limits": {
            \(limits.joined(separator: ",\n"))
                },
                "channels": \(Self.describe(channelRules)),
                "quotas": \(Self.describe(quotas)),
                "access": \(accessDescription)
            }
            """
    }

    private static func describe(_ rules: [ChannelRule]) -> String {
        let objects = rules.map { rule in
            let history = rule.history
            return "{\"pattern\": \(rule.pattern.quoted), \"history\": {\"messages\": \(history.messages), "
                + "\"bytes\": \(history.bytes), \"age_s\": \(history.age / 1_000_000_000)}, \"persist\": \(rule.persist)}"
        }
        return "[\(objects.joined(separator: ", "))]"
    }
}

extension String {
    fileprivate func leftPadded(to count: Int) -> String {
        String(repeating: "0", count: max(0, count - self.count)) + self
    }
}

/// What is wrong with the configuration: which file, which key, what was found, what was expected.
package struct ConfigurationError: Error, Equatable, CustomStringConvertible, Sendable {
    package var file: String
    package var key: String
    package var reason: String

    package var description: String { key.isEmpty ? "\(file): \(reason)" : "\(file): \(place): \(reason)" }

    /// `access[0].user (rule 1)`: wherever else rules are told of they are counted from 1.
    private var place: String {
        let parts = key.split(separator: "[", maxSplits: 1)
        guard parts.count == 2, let word = Self.words[String(parts[0])],
            let index = Int(parts[1].prefix { $0 != "]" })
        else { return key }
        return "\(key) (\(word) \(index + 1))"
    }

    private static let words = ["access": "rule", "channels": "rule", "quotas": "quota"]
}
