// Typed Swift meets whatever can write a line of JSON, in both directions:
//
//     Meeting listen 3       prints three greetings, whoever has posted them, and what is no greeting
//     Meeting say NAME       posts one
//     Meeting watch 3        prints three messages of any type as bytes

import Glibc
import Notify

@main struct Meeting {
    static func main() async throws {
        let center = NotifyCenter.default
        let words = Array(CommandLine.arguments.dropFirst())
        switch words.first {
        case "listen": try await listen(center, for: words.count > 1 ? Int(words[1]) ?? 1 : 1)
        case "watch": try await watch(center, for: words.count > 1 ? Int(words[1]) ?? 1 : 1)
        case "say": try await center.post(Greeting(text: "hello", from: words.count > 1 ? words[1] : "nobody"))
        default:
            show("usage: Meeting listen [COUNT] | watch [COUNT] | say NAME")
            exit(EX_USAGE)
        }
    }

    /// A message is a greeting if it decodes as one, and its type is `Greeting` or not said.
    static func listen(_ center: NotifyCenter, for count: Int) async throws {
        let events = center.events(for: Greeting.self)
        try await center.ready()
        show("listening")
        var rest = count
        for try await event in events {
            switch event {
            case .message(let greeting, _): show("\(greeting.text) from \(greeting.from)")
            case .undecodable(let raw, _): show("no greeting: \(raw)")
            default: continue
            }
            rest -= 1
            if rest == 0 { return }
        }
    }

    static func watch(_ center: NotifyCenter, for count: Int) async throws {
        let messages = center.rawMessages(matching: "meeting.*")
        try await center.ready()
        show("watching")
        for await message in messages.prefix(count) {
            show("\(message)")
        }
    }

    static func show(_ text: String) {
        print(text)
        fflush(nil)
    }
}
