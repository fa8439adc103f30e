// A center's connection as the daemon in memory sees it, and what has come through it so far.

import Notify
import NotifyBroker
import NotifyWire

final class Session {
    let connection: Int32
    let port: LocalPort
    let client: Client
    /// nil: the daemon has not taken the connection yet.
    var peer: PeerRef?
    /// What has come and was not used yet.
    var input: [UInt8] = []
    var splitter = LineSplitter()
    /// Requests wait until the peer has read its answers, or until there is room for what it posts.
    var isPaused = false
    /// The center has closed its end, which the daemon has not noticed yet.
    var hasLeft = false
    /// So many messages find no room on their way to it.
    var messagesToLose = 0
    var messagesLost: UInt64 = 0
    /// What is said of those, until they are all lost.
    var losses = GapLines()

    init(connection: Int32, port: LocalPort, client: Client) {
        (self.connection, self.port, self.client) = (connection, port, client)
    }
}
