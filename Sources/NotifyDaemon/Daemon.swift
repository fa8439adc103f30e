// The one door: `notifyd`, the tests and socket activation all come in here.

import Dispatch
import Glibc
import NotifySystemd
package import NotifyTransport

package enum Daemon {
    /// Everything a daemon is given; it looks for nothing by itself.
    package struct Parts {
        package var listeners: [Listener]
        package var configuration: Configuration
        /// Reads the configuration anew, for SIGHUP.
        package var loadConfiguration: () throws(ConfigurationError) -> Configuration
        package var signals: Int32
        package var log: Log

        package init(
            listeners: [Listener], configuration: Configuration, signals: Int32, log: Log,
            loadConfiguration: @escaping () throws(ConfigurationError) -> Configuration
        ) {
            self.listeners = listeners
            self.configuration = configuration
            self.signals = signals
            self.log = log
            self.loadConfiguration = loadConfiguration
        }
    }

    /// Serves until a signal says stop, and returns when all is drained.
    package static func run(_ parts: Parts) throws(SystemError) {
        raiseDescriptorLimit()
        let log = parts.log
        let loop = try EventLoop(label: "notifyd", spin: UInt64(parts.configuration.spinMicroseconds) * 1000)
        let service = ServiceState(
            manager: ServiceManager(warn: { log.warning($0) }), now: SystemCalls.monotonicNanoseconds())
        let hub = Hub(loop: loop, parts: parts, service: service)
        let finished = DispatchSemaphore(value: 0)
        hub.finish = {
            loop.stop()
            finished.signal()
        }
        // The loop's queue owns the hub from here on.
        nonisolated(unsafe) let owned = hub
        loop.execute { owned.start() }
        finished.wait()
    }

    /// One descriptor per client: the soft limit of 1024 is for programs that use select(2).
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
    }
}
