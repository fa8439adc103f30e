// One of many records was changed. An import changes thousands of them within a second.

import Notify

struct RecordDidChange: NotifyCenter.Message {
    static let channel: NotifyCenter.Channel = "records.changed"
    var id: Int
}
