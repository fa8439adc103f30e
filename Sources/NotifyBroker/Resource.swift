// What is counted for each account, and shared among all of them.

enum Resource: Int, CaseIterable {
    case clients, subscriptions, traces, queuedBytes, inputBytes, retainedBytes, scheduledPosts, scheduledBytes,
        dedupBytes

    /// As it is called in the configuration, and in lists.
    var name: StaticString {
        switch self {
        case .clients: "clients"
        case .subscriptions: "subscriptions"
        case .traces: "traces"
        case .queuedBytes: "queued_bytes"
        case .inputBytes: "input_bytes"
        case .retainedBytes: "retained_bytes"
        case .scheduledPosts: "scheduled_posts"
        case .scheduledBytes: "scheduled_bytes"
        case .dedupBytes: "dedup_bytes"
        }
    }

    /// How much there is for everybody.
    @inline(__always)
    func total(_ limits: Limits) -> Int {
        switch self {
        case .clients: limits.clients
        case .subscriptions: limits.subscriptions
        case .traces: limits.traces
        case .queuedBytes: limits.queuedBytes
        case .inputBytes: limits.inputBytes
        case .retainedBytes: limits.retainedBytes
        case .scheduledPosts: limits.scheduledPosts
        case .scheduledBytes: limits.scheduledBytes
        case .dedupBytes: limits.dedupBytes
        }
    }

    /// How much one account may have at the most.
    func bound(_ limits: Limits) -> Int {
        switch self {
        case .clients: limits.clientsPerUID
        case .subscriptions: limits.subscriptionsPerUID
        case .traces: limits.tracesPerUID
        case .queuedBytes: limits.queuedBytesPerUID
        case .inputBytes: limits.inputBytesPerUID
        case .retainedBytes: limits.retainedBytesPerUID
        case .scheduledPosts: limits.scheduledPostsPerUID
        case .scheduledBytes: limits.scheduledBytesPerUID
        case .dedupBytes: limits.dedupBytesPerUID
        }
    }
}

/// One of something for each resource.
struct ByResource<Value: BitwiseCopyable> {
    private var values: InlineArray<9, Value>

    init(_ value: Value) { values = InlineArray(repeating: value) }

    subscript(resource: Resource) -> Value {
        get { values[resource.rawValue] }
        set { values[resource.rawValue] = newValue }
    }
}

/// All pools. They live as long as the broker, in one place: peers and accounts point to them.
struct Pools {
    var shares = ByResource(Pool())
    /// What there is. The daemon's own limits, not what an account's have been changed to.
    var limits: Limits

    static func make(_ limits: Limits) -> UnsafeMutablePointer<Pools> {
        let pools = UnsafeMutablePointer<Pools>.allocate(capacity: 1)
        pools.initialize(to: Pools(limits: limits))
        return pools
    }
}
