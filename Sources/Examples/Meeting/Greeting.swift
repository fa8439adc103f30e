// What all of them say to each other: an object with a word and a name, `{"text":"hello","from":"…"}`.

import Notify

struct Greeting: NotifyCenter.Message {
    static let channel: NotifyCenter.Channel = "meeting.greeting"
    var text: String
    var from: String
}
