// Settings that all programs of a user share: a retained message, so that whoever starts later has them at once.
// A property that is added later gets a default, or old values could not be read any more.

import Notify

struct Settings: NotifyCenter.Message, Equatable {
    static let channel: NotifyCenter.Channel = "desktop.settings"
    var isDark = false
    var fontSize = 12
}

extension Settings {
    /// The present value, and the number that says which one it is.
    static func current(_ center: NotifyCenter) async throws(NotifyError) -> (settings: Settings, sequence: UInt64) {
        guard let last = try await center.retained(on: channel) else { return (Settings(), 0) }
        return (try last.decode(), last.info.sequence)
    }

    /// Changes the value. If somebody else has changed it meanwhile, theirs is looked at first: no change is lost.
    static func change(
        _ center: NotifyCenter, _ change: @Sendable (inout Settings) -> Void
    ) async throws(NotifyError) -> Settings {
        while true {
            var (settings, sequence) = try await current(center)
            change(&settings)
            do throws(NotifyError) {
                try await center.post(settings, options: .init(retain: true, ifSequence: sequence))
                return settings
            } catch {
                guard error.code == .conflict else { throw error }
            }
        }
    }
}
