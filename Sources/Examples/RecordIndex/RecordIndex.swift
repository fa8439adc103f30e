// A burst of changes, debounced for one reader and batched for another:
//
//     RecordIndex follow &
//     RecordIndex burst 250

import Glibc
import Notify

@main struct RecordIndex {
    static func main() async throws {
        let center = NotifyCenter.default
        let words = Array(CommandLine.arguments.dropFirst())
        switch words.first {
        case "follow":
            let (toIndex, toDraw) = (
                center.messages(for: RecordDidChange.self), center.messages(for: RecordDidChange.self)
            )
            try await center.ready()
            show("following")
            async let indexing: Void = index(toIndex, clock: ContinuousClock()) { show("indexed \($0.count)") }
            async let drawing: Void = draw(toDraw, clock: ContinuousClock()) { show("drawn after \($0)") }
            _ = await (indexing, drawing)
        case "burst":
            for id in 1...(words.count > 1 ? Int(words[1]) ?? 1 : 1) {
                try center.enqueue(RecordDidChange(id: id))
            }
            // What was enqueued is sent before it returns.
            await center.shutdown()
        default:
            show("usage: RecordIndex follow | burst COUNT")
            exit(EX_USAGE)
        }
    }

    static func show(_ text: String) {
        print(text)
        fflush(nil)
    }
}
