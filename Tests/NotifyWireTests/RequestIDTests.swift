// The `id` of a request: what may be one, and that a refusal carries it wherever it stands.

import NotifyWire
import Testing

@Suite("Request ids")
struct RequestIDTests {
    @Test(
        "are integers up to 2^53-1 or short strings, kept as they came",
        arguments: [
            "0", "1", "9007199254740991", #""""#, #""a""#, #""\u0041\n""#, #""é""#,
            "\"" + String(repeating: "x", count: 64) + "\"",
        ])
    func valid(id: String) {
        Parsed(#"{"op":"ping","id":\#(id)}"#).expect(.ping, id: id)
        Parsed(#"{"op":"post","id":\#(id),"channel":"a","payload":{}}"#).expect(.post, id: id)
    }

    @Test(
        "that are anything else are refused, without an id in the refusal",
        arguments: [
            "9007199254740992", "-1", "-0", "1.0", "1e3", "18446744073709551616", "true", "null", "[]", "{}",
            "\"" + String(repeating: "x", count: 65) + "\"",
        ])
    func invalid(id: String) {
        for line in [#"{"op":"ping","id":\#(id)}"#, #"{"op":"post","id":\#(id),"channel":"a","payload":{}}"#] {
            let parsed = Parsed(line)
            #expect(parsed.outcome == .refused(.invalidField))
            #expect(parsed.refusal?.message.hasPrefix("field 'id'") == true)
            #expect(parsed.id.isEmpty)
        }
    }

    @Test(
        "are found in front of, between and behind what is wrong",
        arguments: [
            #"{"id":5,"op":"post","channel":7,"nope":1}"#, #"{"op":"post","channel":7,"id":5,"nope":1}"#,
            #"{"op":"post","channel":7,"nope":1,"id":5}"#, #"{"nope":{"id":6},"id":5}"#, #"{"op":"nope","id":5}"#,
            #"{"id":5}"#, #"{"op":"post","i\u0064":5}"#, #"{"op":"ping","x":1,"id":5}"#, #"{"op":"explain","id":5}"#,
        ])
    func everywhere(line: String) {
        let parsed = Parsed(line)
        #expect(parsed.refusal != nil)
        #expect(parsed.id == "5")
    }

    @Test("inside a payload are none")
    func inPayload() {
        Parsed(#"{"op":"post","channel":"a","payload":{"id":5}}"#).expect(.post)
    }
}
