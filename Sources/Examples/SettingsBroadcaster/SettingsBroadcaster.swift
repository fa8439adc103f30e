// Broadcasts settings with their last value:
//
//     SettingsBroadcaster follow &       prints them, and each change
//     SettingsBroadcaster dark           switches between dark and light
//     SettingsBroadcaster larger         makes the font larger by one

import Glibc
import Notify
import Observation

@main struct SettingsBroadcaster {
    static func main() async throws {
        let center = NotifyCenter.default
        switch CommandLine.arguments.dropFirst().first {
        case "dark": show(try await Settings.change(center) { $0.isDark.toggle() })
        case "larger": show(try await Settings.change(center) { $0.fontSize += 1 })
        case "follow":
            let latest = center.latest(for: Settings.self)
            for await settings in Observations({ latest.value }) {
                if let settings { show(settings) }
            }
        default:
            print("usage: SettingsBroadcaster follow|dark|larger")
            exit(EX_USAGE)
        }
    }

    static func show(_ settings: Settings) {
        print(settings.isDark ? "dark" : "light", settings.fontSize)
        fflush(nil)
    }
}
