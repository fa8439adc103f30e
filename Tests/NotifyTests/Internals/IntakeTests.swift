// From bytes to lines, whatever pieces they come in.

import NotifyWire
import Testing

@testable import Notify

struct IntakeTests {
    private func message(_ number: Int, sub: Int = 1, payload: String) -> String {
        #"{"op":"message","sub":\#(sub),"channel":"c\#(number % 3)","seq":\#(number),"pos":\#(number),"payload":"#
            + payload + "}"
    }

    /// The payloads and ops that come out when the bytes go in by `size` at a time.
    private func feed(_ bytes: [UInt8], by size: Int) -> [String] {
        var intake = Intake()
        var words: [String] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            intake.fill(rest.prefix(size))
            rest = rest.dropFirst(size)
            guard let read = intake.lines() else { continue }
            let batch = read.batch(epoch: "e1")
            for step in read.steps {
                switch step {
                case .messages(let sub, let range):
                    for index in range {
                        #expect(read.messages[index].sub == sub)
                        words.append(batch.text(batch.messages[index].payload))
                    }
                case .line(.live): words.append("live")
                case .line(.ok): words.append("ok")
                case .line: words.append("other")
                }
            }
        }
        return words
    }

    @Test(arguments: [1, 2, 3, 7, 64, 100_000])
    func `lines and characters may be cut anywhere`(size: Int) {
        var text = ""
        var expected: [String] = []
        for number in 1...50 {
            let payload = "\"ä€😀\(number)\""
            text += message(number, sub: number % 4 + 1, payload: payload) + (number % 5 == 0 ? "\r\n\n" : "\n")
            expected.append(payload)
        }
        text +=
            #"{"op":"live","sub":1,"pos":5}"# + "\n" + #"{"op":"from the future"}"# + "\n" + #"{"op":"ok","id":1}"#
            + "\n"
        #expect(feed(Array(text.utf8), by: size) == expected + ["live", "ok"])
    }

    @Test func `a line much longer than a read comes whole, and the buffer shrinks again`() {
        let long = "\"" + String(repeating: "x", count: 3_000_000) + "\""
        let text = message(1, payload: long) + "\n" + message(2, payload: "2") + "\n"
        #expect(feed(Array(text.utf8), by: 65536) == [long, "2"])
    }

    @Test func `a run of one subscription is one step`() throws {
        var intake = Intake()
        let lines = [1, 1, 2, 2, 1].enumerated().map { message($0.offset, sub: $0.element, payload: "0") }
        intake.fill(Array((lines.joined(separator: "\n") + "\n").utf8))
        let lineBatch = intake.lines()
        let read = try #require(lineBatch)
        #expect(read.steps.count == 3)
    }

    @Test func `an excerpt has the same messages and not the other bytes`() throws {
        var intake = Intake()
        let lines = (0..<9).map { message($0, payload: "\"p\($0)\"") }
        intake.fill(Array((lines.joined(separator: "\n") + "\n").utf8))
        let read = intake.lines()
        let batch = try #require(read).batch(epoch: "e1")
        let excerpt = batch.excerpt(3..<5)
        #expect(excerpt.messages.count == 2)
        #expect(excerpt.bytes.count == lines[3].utf8.count + lines[4].utf8.count)
        let second = NotifyCenter.RawMessage(batch: excerpt, index: 1)
        #expect(String(decoding: second.line, as: UTF8.self) == lines[4])
        #expect(String(decoding: second.payload, as: UTF8.self) == "\"p4\"")
        #expect(second.channel == "c1")
        #expect(second.info.epoch == "e1")
        #expect(second.type == nil)
    }

    @Test(arguments: ["nonsense\n", "{}\n", "\u{0}\n", "{\"op\":\"live\"}\n"])
    func `another language is an error with a sentence`(text: String) {
        var intake = Intake()
        intake.fill(Array(text.utf8))
        let read = intake.lines()
        #expect(read?.failure?.code == .protocolViolation)
        #expect(read?.steps.isEmpty == true)
    }
}
