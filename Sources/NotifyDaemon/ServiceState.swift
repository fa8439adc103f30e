// What the daemon owes the service manager, and when: the watchdog, the status line, the end of a drain.

import NotifySystemd

/// A class, because the hub asks for single values of it in every wake-up, which would copy a structure whole.
final class ServiceState {
    @exclusivity(unchecked) var manager: ServiceManager
    @exclusivity(unchecked) var nextPing: UInt64?
    @exclusivity(unchecked) var nextHousekeeping: UInt64
    /// When a suspended listening socket is watched again.
    @exclusivity(unchecked) var listenAgain: UInt64?
    /// When a store that could not be written is tried again.
    @exclusivity(unchecked) var retryStore: UInt64?
    @exclusivity(unchecked) var isStopping = false
    /// When a stopping daemon no longer waits for its peers to read.
    @exclusivity(unchecked) var drainDeadline: UInt64?
    @exclusivity(unchecked) var lastStatus = ""
    let pingInterval: UInt64?

    static let housekeepingInterval: UInt64 = 10_000_000_000
    static let storeRetryInterval: UInt64 = 1_000_000_000
    static let drainNanoseconds: UInt64 = 5_000_000_000

    init(manager: ServiceManager, now: UInt64) {
        self.manager = manager
        // Twice as often as wanted, as sd_watchdog_enabled(3) advises.
        pingInterval = manager.watchdogMicroseconds.map { $0 * 1000 / 2 }
        nextPing = pingInterval.map { now + $0 }
        nextHousekeeping = now + Self.housekeepingInterval
    }

    /// The earliest of all that is due.
    func nextDeadline(broker: UInt64?) -> UInt64 {
        var earliest = nextHousekeeping
        if let nextPing { earliest = min(earliest, nextPing) }
        if let listenAgain { earliest = min(earliest, listenAgain) }
        if let retryStore { earliest = min(earliest, retryStore) }
        if let drainDeadline { earliest = min(earliest, drainDeadline) }
        if let broker { earliest = min(earliest, broker) }
        return earliest
    }
}
