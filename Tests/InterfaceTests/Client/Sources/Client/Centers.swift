// A center and its connection.

import Notify

func centers() async throws {
    var configuration = NotifyCenter.Configuration()
    configuration.name = "client"
    configuration.connectTimeout = .seconds(1)
    configuration.reconnects = false
    configuration.requestTimeout = nil
    configuration.onDiagnostic = { diagnostic in
        switch diagnostic {
        case .undecodable(let raw, let error): print(raw, error)
        case .slowConsumer(let channel): print(channel)
        case .refused(let error), .disconnected(let error): print(error)
        }
    }
    configuration = NotifyCenter.Configuration(
        name: "client", connectTimeout: .seconds(1), reconnects: true, requestTimeout: .seconds(1), onDiagnostic: nil)

    let endpoints: Set<NotifyCenter.Endpoint> = [.default, .user, .system, .socket(path: "@client")]
    for endpoint in endpoints {
        print(endpoint.description)
    }
    let center = NotifyCenter(endpoint: .socket(path: "socket"), configuration: configuration)
    print(NotifyCenter.default === center)
    try await center.ready()
    print(try await center.ping())
    if let server = center.server { show(server) }

    await follow(center.states)

    let diagnostics = center.diagnostics
    print(diagnostics.undecodable, diagnostics.dropped, diagnostics.refused, diagnostics.disconnects)
    await center.shutdown(drainingFor: .seconds(1))
}

func show(_ server: NotifyCenter.ServerInfo) {
    print(server.version, server.epoch, server.client, server.position, server.features, server.socketPath)
    let limits: NotifyCenter.ServerInfo.Limits = server.limits
    print(
        limits.lineBytes ?? 0, limits.clients ?? 0, limits.clientsPerUID ?? 0, limits.subscriptionsPerClient ?? 0,
        limits.queueMessages ?? 0, limits.queueBytes ?? 0, limits.deduplicationSeconds ?? 0)
}

func follow(_ states: NotifyCenter.ConnectionStates) async {
    for await state in states {
        switch state {
        case .idle, .connecting: continue
        case .connected(let server): show(server)
        case .disconnected(let error): print(error)
        case .closed(let error): print(error?.message ?? "closed")
        }
    }
    var iterator = states.makeAsyncIterator()
    print(await iterator.next() == nil)
    print(await iterator.next(isolation: #isolation) == nil)
}
