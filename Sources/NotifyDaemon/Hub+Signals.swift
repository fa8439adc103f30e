// Signals come in through the event loop like everything else.

import NotifyBroker
import NotifySystemd
import NotifyTransport

extension Hub {
    func handleSignals() {
        while let signal = SystemCalls.signalRead(signalDescriptor) {
            switch Signals.meaning(of: signal) {
            case .stop: stop()
            case .reload: reload()
            }
        }
    }

    /// All or nothing: a bad file leaves what is in force.
    private func reload() {
        guard !service.isStopping else { return }
        reserve.giveUpAll()
        defer { reserve.fill() }
        service.manager.reloading(monotonicMicroseconds: SystemCalls.monotonicNanoseconds() / 1000)
        do throws(ConfigurationError) {
            let fresh = try loadConfiguration()
            let changes = configuration.changes(
                to: fresh, startedWith: firstConfiguration, hasOwnSocket: listeners.contains(where: \.isOwn))
            for change in changes { log.notice("configuration: \(change)") }
            let learnsUnits = fresh.asksForUnits && !configuration.asksForUnits
            configuration = fresh
            if learnsUnits { learnUnits() }
            broker.pointee.limits = fresh.limits
            broker.pointee.setQuotas(fresh.quotas)
            broker.pointee.setRules(fresh.channelRules)
            broker.pointee.setAccess(fresh.access())
            if keeper == nil, fresh.channelRules.contains(where: \.persist) {
                log.warning("configuration: persistent channels are kept on disk from the next start on")
            }
            log.setLevel(fresh.logLevel)
            log.notice("configuration reloaded")
            broker.pointee.announceReload(succeeded: true)
        } catch {
            log.error("configuration not reloaded, the old one stays in force: \(error)")
            broker.pointee.announceReload(succeeded: false)
        }
        becomeReady()
    }

    /// Nobody has asked for the units of those who are there.
    private func learnUnits() {
        for slot in slots where sessions[slot].isOpen {
            guard let peer = sessions[slot].peer else { continue }
            broker.pointee.setUnit(PeerUnit.name(of: sessions[slot].descriptor), of: peer)
        }
    }
}
