// A whole history, asked for by somebody who does not read it: it costs the daemon no copy of it and keeps nobody
// waiting, and when it is read it is whole.

import NotifyTestSupport
import Testing

@Suite(.ownThreads) struct LongPastTests {
    @Test func `a past of 64 MiB that nobody reads costs nothing but its own memory, and comes whole when it is read`()
        throws
    {
        // As by default, but that nothing grows too old while this test reads.
        let daemon = try TestDaemon(configuration: #"{"channels":[{"pattern":">","history":{"age_s":3600}}]}"#)
        let poster = try daemon.client()
        // What is kept of each channel is 64 KiB: 24 bodies of a little more than 2,600 bytes.
        let payload = "\"" + String(repeating: "w", count: 2500) + "\""
        for channel in 1...1040 {
            let line = "{\"op\":\"post\",\"channel\":\"past.\(channel)\",\"payload\":\(payload)}\n"
            try poster.send(bytes: Array(String(repeating: line, count: 24).utf8))
        }
        let position = try poster.post("other").integer("pos")
        let before = daemon.peakMemory
        let readers = try (0..<5).map { _ in
            let reader = try daemon.client()
            try reader.send(#"{"op":"subscribe","id":1,"channel":"past.*","replay":{"last":64}}"#)
            return reader
        }
        // Their requests have been handled when others of theirs have been.
        try daemon.wait(poster, "subscriptions", 5)
        for number in 1...100 { #expect(try poster.post("other", "\(number)").integer("pos") == position + number) }
        daemon.expectPeak(since: before, below: 8 << 10)
        for reader in readers[1...] { reader.close() }
        var (last, messages, lost) = (0, 0, 0)
        while true {
            let line = try readers[0].line()
            switch line.op {
            case "message":
                #expect(line.integer("pos") > last)
                last = line.integer("pos")
                messages += 1
            case "gap": lost += line.integer("count")
            case "live":
                #expect(line.integer("pos") == position)
                #expect(messages + lost == 1040 * 24)
                #expect(messages > 1000 * 24 && last == position - 1)
                return
            default: #expect(line.op == "ok")
            }
        }
    }
}
