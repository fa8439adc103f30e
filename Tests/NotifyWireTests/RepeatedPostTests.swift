// A post that repeats the last one's envelope is read by comparing: the result must be what the general scanner reads.

import NotifyTestSupport
import NotifyWire
import Testing

@Suite("A repeated envelope")
struct RepeatedPostTests {
    private static let post = #"{"op":"post","channel":"shop.cart","type":"T","subject":"s","payload":{"n":1}}"#

    /// Where `parser` finds the end of the line, `data` being all that has come.
    private func end(of data: String, _ parser: inout RequestParser, _ look: (Request, Int?) -> Void) {
        Line.with(data) { start, end in
            let newline = parser.parseRepeatedPost(start, before: end)
            look(parser.request, newline.map { $0 - start })
        }
    }

    private func parser(after line: String) -> RequestParser {
        var parser = RequestParser()
        Line.with(line) { start, end in _ = parser.parse(start, end) }
        return parser
    }

    @Test(
        "is read with another payload, with and without an id",
        arguments: [
            (#"{"op":"post","channel":"shop.cart","type":"T","subject":"s","payload":[true,"é",-1.5e3]}"#, ""),
            (#"{"op":"post","id":7,"channel":"shop.cart","type":"T","subject":"s","payload":0}"#, "7"),
            (
                #"{"op":"post","id":123456789012345,"channel":"shop.cart","type":"T","subject":"s","payload":{}}"#,
                "123456789012345"
            ),
        ])
    func isRead(line: String, id: String) {
        var repeated = parser(after: Self.post)
        let general = parser(after: line)
        end(of: line + "\n", &repeated) { request, newline in
            #expect(newline == line.utf8.count)
            #expect(request.id.text == id)
            #expect(request.envelope != 0)
            #expect(request.present == general.request.present)
            #expect(request.channel.text == "shop.cart")
            #expect(request.type.text == "T")
            #expect(request.subject.text == "s")
            #expect(line.hasSuffix(request.payload.text + "}"))
        }
    }

    @Test(
        "is not seen in a line that differs anywhere before its payload",
        arguments: [
            #"{"op":"post","channel":"shop.carT","type":"T","subject":"s","payload":{"n":1}}"#,
            #"{"op":"post","channel":"shop.cart","type":"U","subject":"s","payload":{"n":1}}"#,
            #"{"op":"post","channel":"shop.cart","type":"T","subject":"t","payload":{"n":1}}"#,
            #"{"op":"post","channel":"shop.cart","type":"T","payload":{"n":1}}"#,
            #"{"op":"post","channel":"shop.cart","type":"T","subject":"s","payload" :{"n":1}}"#,
            #"{"op":"post","id":"x","channel":"shop.cart","type":"T","subject":"s","payload":{"n":1}}"#,
            #"{"op":"post","id":01,"channel":"shop.cart","type":"T","subject":"s","payload":{"n":1}}"#,
            #"{"op":"post","channel":"shop.cart","type":"T","subject":"s","payload":{"n":1},"retain":true}"#,
            #"{"op":"post","channel":"shop.cart","type":"T","subject":"s","payload":{"n":1} }"#,
            #"{"op":"post","channel":"shop.cart","type":"T","subject":"s","payload":{"n":}}"#,
            #"{"op":"post","channel":"shop.cart","type":"T","subject":"s","payload":{"n":1}}}"#,
            #"{"op":"ping"}"#, "", "{",
        ])
    func isNotSeen(line: String) {
        var repeated = parser(after: Self.post)
        end(of: line + "\n", &repeated) { _, newline in #expect(newline == nil) }
    }

    @Test("is read with a payload of a known shape as with any other, and with none that is not valid")
    func shaped() {
        let head = #"{"op":"post","channel":"shop.cart","type":"T","subject":"s","payload":"#
        var repeated = parser(after: Self.post)
        let payloads = [
            #"{"n":1}"#, #"{"n":2}"#, #"{"n":x}"#, #"{"n":3}"#, #"{"n":4},"#, #"{"n":5}}"#, #"{"n":0}"#, #"{"n":6}"#,
            #"{"n":77}"#, #"{"m":8}"#,
        ]
        for payload in payloads {
            let line = head + payload + "}"
            let isRead = !["x", ",", "}}"].contains { payload.hasSuffix($0) || payload.hasSuffix($0 + "}") }
            end(of: line + "\n", &repeated) { request, newline in
                #expect(newline == (isRead ? line.utf8.count : nil), "\(payload)")
                if newline != nil { #expect(request.payload.text == payload) }
            }
            // Nor is it when its newline has not come yet, though it stands in the buffer.
            Line.with(line) { start, end in
                let newline = repeated.parseRepeatedPost(start, before: end)
                #expect(newline == nil)
            }
        }
    }

    @Test("is not seen before the line is complete, wherever the data ends")
    func incomplete() {
        for count in 0..<Self.post.utf8.count + 1 {
            var repeated = parser(after: Self.post)
            end(of: String(Self.post.prefix(count)), &repeated) { _, newline in #expect(newline == nil, "\(count)") }
        }
    }

    @Test("is not seen before any post was read")
    func nothingKept() {
        var fresh = RequestParser()
        end(of: Self.post + "\n", &fresh) { _, newline in #expect(newline == nil) }
    }

    @Test("may be as long as is kept, and is read anew when it is longer", arguments: [512, 513])
    func length(count: Int) {
        let fixed = #""channel":"a","type":"","subject":"","payload":"#.utf8.count
        let type = String(repeating: "t", count: 255)
        let subject = String(repeating: "s", count: count - fixed - 255)
        let line = #"{"op":"post","channel":"a","type":"\#(type)","subject":"\#(subject)","payload":1}"#
        var repeated = parser(after: line)
        end(of: line + "\n", &repeated) { _, newline in #expect((newline != nil) == (count == 512)) }
    }

    @Test("agrees with the general scanner on mutated lines", arguments: 1...8)
    func agrees(seed: UInt64) {
        var random = SplitMix(state: seed)
        var fast = RequestParser()
        var general = RequestParser()
        var taken = 0
        for round in 0..<2500 {
            let post = CanonicalPostTests.posts[round / 5 % CanonicalPostTests.posts.count]
            let line = CanonicalPostTests.mutated(post, &random)
            Line.with(line + [0x0A]) { start, end in
                if let newline = fast.parseRepeatedPost(start, before: end) {
                    taken += 1
                    let text = String(decoding: line, as: UTF8.self)
                    #expect(newline == end - 1, "\(text)")
                    #expect(general.parseAnything(start, end - 1) == .request, "\(text)")
                    #expect(Facts(fast.request) == Facts(general.request), "\(text)")
                } else {
                    _ = fast.parse(start, end - 1)
                }
            }
        }
        #expect(taken > 0)
    }
}
