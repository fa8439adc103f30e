// The terms of a post: what may stand there, and what is said when something else does.

import NotifyWire
import Testing

@Suite("Terms of posts")
struct RequestTermsTests {
    @Test("are times in milliseconds, up to a hundred years", arguments: [1, 3_155_760_000_000] as [UInt64])
    func timeToLive(milliseconds: UInt64) {
        Parsed(#"{"op":"post","channel":"a","ttl_ms":\#(milliseconds)}"#) { request in
            #expect(request.terms.timeToLive == milliseconds * 1_000_000)
        }.expect(.post)
    }

    @Test(
        "are refused with the name of the field when they are no such time",
        arguments: ["ttl_ms"], ["0", "-1", "1.5", "1e3", "3155760000001", "\"1\"", "null", "true", "[]", "{}", "1e400"])
    func noTime(field: String, text: String) {
        let parsed = Parsed(#"{"op":"post","channel":"a","\#(field)":\#(text)}"#)
        #expect(parsed.outcome == .refused(.invalidField))
        #expect(parsed.refusal?.message.contains("'\(field)': expected milliseconds") == true)
    }
}
