// How deep a line may nest, seen from both ends: what the daemon takes must come out at a client, by every way.

import NotifyWire
import Testing

@Suite("Nesting")
struct DepthTests {
    private static func nested(_ levels: Int) -> String {
        String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    }

    private static func isMalformed(_ text: String) -> Bool {
        var result = false
        Line.with(text) { start, end in
            if case .malformed = DaemonLineParser.parse(start, from: 0, to: end - start) { result = true }
        }
        return result
    }

    @Test("a client reads whatever is JSON to the daemon, 128 levels deep, in members of every kind")
    func members() {
        let members = [
            "id", "to", "seq", "pos", "sub", "time", "type", "code", "count", "stats", "retain", "replay",
            "reason", "offset", "channel", "subject", "payload", "matched", "dropped", "clients", "channels",
            "truncated", "subscriptions", "from", "unknown",
        ]
        for member in members {
            for (levels, isTooDeep) in [(127, false), (128, true)] {
                let line = #"{"op":"else","\#(member)":\#(Self.nested(levels))}"#
                #expect(Self.isMalformed(line) == isTooDeep, "\(member), \(levels) levels")
                #expect((Parsed(line).refusal?.code == .invalidJSON) == isTooDeep, "\(member), \(levels) levels")
            }
        }
        for member in ["client", "pid", "uid", "unknown"] {
            for (levels, isTooDeep) in [(126, false), (127, true)] {
                let line = #"{"op":"else","from":{"\#(member)":\#(Self.nested(levels))}}"#
                #expect(Self.isMalformed(line) == isTooDeep, "from.\(member), \(levels) levels")
            }
        }
    }

    @Test("the deepest message that is taken comes out live and as the answer to `get`")
    func deepest() {
        let post = #"{"op":"post","channel":"a","payload":"#
        #expect(Parsed(post + Self.nested(127) + "}").outcome == .request(.post))
        #expect(Parsed(post + Self.nested(128) + "}").outcome == .refused(.invalidJSON))
        let message = #""channel":"a","seq":1,"pos":2,"time":"t","from":{},"payload":\#(Self.nested(127))}"#
        #expect(!Self.isMalformed(#"{"op":"message","sub":1,"# + message))
        let answer = #"{"op":"ok","id":1,"message":{"# + message + "}"
        Line.with(answer) { start, end in
            guard case .ok(let reply) = DaemonLineParser.parse(start, from: 0, to: end - start) else {
                Issue.record("the answer is not understood")
                return
            }
            let fields = DaemonLineParser.parseMessage(start, reply.body)
            #expect(fields?.payload.count == 2 * 127)
        }
    }
}
