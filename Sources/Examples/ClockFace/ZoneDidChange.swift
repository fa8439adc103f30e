// Somebody has chosen another time zone, in whatever process.

import Notify

struct ZoneDidChange: NotifyCenter.Message {
    static let channel: NotifyCenter.Channel = "system.timezone"
    var identifier: String
}
