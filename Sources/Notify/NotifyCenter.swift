// The door of the library: one center is one connection to a daemon, usable from any thread or task.
// It connects on first use and comes back by itself; what it does is in Internals/, what it promises in the extensions.

/// Typed notifications between processes: posts messages to the daemon `notifyd` and gets those of others.
///
/// ```swift
/// let center = NotifyCenter.default
/// try await center.post(CartDidChange(itemCount: 2), subject: "cart-42")
/// for await change in center.messages(for: CartDidChange.self) { print(change.itemCount) }
/// ```
///
/// A center connects on first use, comes back after the daemon was away, and makes its subscriptions again. When the
/// center, its sequences and its tokens are gone, so is the connection.
public final class NotifyCenter: Sendable {
    /// The center of the default endpoint.
    public static let `default` = NotifyCenter()

    let link: Link

    /// Makes a center. It connects on first use.
    public init(endpoint: Endpoint = .default, configuration: Configuration = Configuration()) {
        link = Link(endpoint: endpoint, configuration: configuration)
    }

    /// Makes a center whose daemon is in this process: for NotifyTesting.
    package init(local: any LocalDaemon, configuration: Configuration) {
        link = Link(endpoint: .socket(path: LocalPort.place), configuration: configuration, local: local)
    }

    /// The daemon in this process, if the center was made with one.
    package var local: (any LocalDaemon)? { link.local }

    /// Waits until the daemon answers and has acknowledged every subscription made before this call.
    ///
    /// - Throws: `notConnected` when there is no daemon or it does not greet within the connect timeout; `timedOut` when
    ///   it has greeted and then does not answer within the request timeout.
    public nonisolated(nonsending) func ready() async throws(NotifyError) {
        try await link.ready()
    }

    /// What the daemon said when the center last connected; nil before.
    public var server: ServerInfo? { link.server }

    /// The states of the connection: the present one first, then each change.
    public var states: ConnectionStates { link.states() }

    /// Counters of what went wrong without an error to throw.
    public var diagnostics: Diagnostics { link.diagnostics }

    /// Ends the connection in good order: no new requests, answers are awaited up to `limit`, then everything that
    /// still waits fails with `closed`, sequences end after what they hold, and observers get no more messages.
    ///
    /// The daemon is told goodbye, so that it does not post the will. Returns from anywhere, also from within an observer,
    /// and when called twice.
    public func shutdown(drainingFor limit: Duration = .seconds(5)) async {
        await link.shutdown(drainingFor: limit)
    }
}
