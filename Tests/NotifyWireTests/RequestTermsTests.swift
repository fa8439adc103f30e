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
        arguments: ["ttl_ms", "delay_ms", "coalesce_ms"],
        ["-1", "1.5", "1e3", "3155760000001", "\"1\"", "null", "true", "[]", "{}", "1e400"])
    func noTime(field: String, text: String) {
        let parsed = Parsed(#"{"op":"post","channel":"a","\#(field)":\#(text)}"#)
        #expect(parsed.outcome == .refused(.invalidField))
        #expect(parsed.refusal?.message.contains("'\(field)': expected milliseconds") == true)
    }

    @Test("live at least a millisecond, but may be delayed or held back by none at all")
    func none() {
        #expect(Parsed(#"{"op":"post","channel":"a","ttl_ms":0}"#).outcome == .refused(.invalidField))
        Parsed(#"{"op":"post","channel":"a","delay_ms":0}"#) { #expect($0.terms.delay == 0) }.expect(.post)
        Parsed(#"{"op":"post","channel":"a","coalesce_ms":0}"#) { #expect($0.terms.coalesce == 0) }.expect(.post)
    }

    @Test("have times of day as RFC 3339 has them")
    func timeOfDay() {
        Parsed(#"{"op":"post","channel":"a","at":"1970-01-01T00:00:01.5+00:00"}"#) { request in
            #expect(request.terms.at == 1_500_000_000)
        }.expect(.post)
    }

    @Test(
        "are refused when they are no times of day",
        arguments: [
            "12", "null", #""12:00""#, #""2026-02-29T00:00:00Z""#, #""2026-11-30T00:00:00""#, #""tomorrow""#,
            #""9999-12-31T23:59:59Z""#, #""0001-01-01T00:00:00Z""#,
        ])
    func noTimeOfDay(text: String) {
        let parsed = Parsed(#"{"op":"post","channel":"a","at":\#(text)}"#)
        #expect(parsed.outcome == .refused(.invalidField))
        #expect(parsed.refusal?.message.contains("RFC 3339") == true)
        #expect(parsed.refusal?.message.contains("1678 to 2261") == true)
    }

    @Test(
        "exclude each other where both cannot be kept",
        arguments: [
            (#""delay_ms":1,"at":"2026-11-30T00:00:00Z""#, "'delay_ms' and 'at'"),
            (#""coalesce_ms":1,"delay_ms":1"#, "'delay_ms' and 'coalesce_ms'"),
            (#""at":"2026-11-30T00:00:00Z","coalesce_ms":1"#, "'at' and 'coalesce_ms'"),
            (#""if_seq":1,"delay_ms":1"#, "'delay_ms' and 'if_seq'"),
            (#""if_seq":1,"coalesce_ms":1"#, "'coalesce_ms' and 'if_seq'"),
            (#""require_subscribers":true,"at":"2026-11-30T00:00:00Z""#, "'at' and 'require_subscribers'"),
            (#""require_subscribers":true,"coalesce_ms":1"#, "'coalesce_ms' and 'require_subscribers'"),
        ])
    func exclusions(fields: String, words: String) {
        let parsed = Parsed(#"{"op":"post","channel":"a",\#(fields)}"#)
        #expect(parsed.outcome == .refused(.invalidRequest))
        #expect(parsed.refusal?.message.contains(words) == true, "\(parsed.refusal?.message ?? "")")
    }

    @Test(
        "are conditions in the form that is asked for, or refused by name",
        arguments: [
            (#""if_seq":0"#, true), (#""if_seq":9223372036854775807"#, true), (#""if_seq":-1"#, false),
            (#""if_seq":1.0"#, false), (#""if_seq":"1""#, false), (#""if_seq":null"#, false),
            (#""if_seq":9223372036854775808"#, false), (#""require_subscribers":true"#, true),
            (#""require_subscribers":false,"delay_ms":1"#, true), (#""require_subscribers":1"#, false),
            (#""require_subscribers":"true""#, false), (#""dedup":"k""#, true), (#""dedup":"""#, false),
            (#""dedup":1"#, false), (#""dedup":null"#, false), (#""dedup":"k","delay_ms":1"#, true),
        ])
    func conditions(field: String, isGood: Bool) {
        let outcome = Parsed(#"{"op":"post","channel":"a",\#(field)}"#).outcome
        #expect(outcome == (isGood ? .request(.post) : .refused(.invalidField)))
    }

    @Test("have a dedup string of at most 128 bytes, as it is meant, not as it is written", arguments: [128, 129])
    func dedup(count: Int) {
        let key = String(repeating: "\\u0061", count: count)
        let parsed = Parsed(#"{"op":"post","channel":"a","dedup":"\#(key)"}"#) { request in
            #expect(request.terms.dedup.text == String(repeating: "a", count: count))
        }
        #expect(parsed.outcome == (count == 128 ? .request(.post) : .refused(.invalidField)))
    }

    @Test(
        "of cancel are one number",
        arguments: [("1", true), ("9223372036854775807", true), ("0", false), ("\"1\"", false)])
    func cancel(number: String, isGood: Bool) {
        let outcome = Parsed(#"{"op":"cancel","schedule":\#(number)}"#).outcome
        #expect(outcome == (isGood ? .request(.cancel) : .refused(.invalidField)))
        #expect(Parsed(#"{"op":"post","channel":"a","schedule":1}"#).outcome == .refused(.unknownField))
    }
}

@Suite("The priority of a post")
struct PriorityTermTests {
    @Test("is one of three words, normal if it says nothing", arguments: Priority.allCases)
    func words(priority: Priority) {
        Parsed(#"{"op":"post","channel":"a","priority":"\#(priority.name)"}"#) { request in
            #expect(request.terms.priority == priority)
        }.expect(.post)
        Parsed(#"{"op":"post","channel":"a"}"#) { #expect($0.terms.priority == .normal) }.expect(.post)
    }

    @Test(
        "is refused when it is anything else",
        arguments: ["\"High\"", "\"\"", "\"highest\"", "1", "null", "true", "{}"])
    func otherWords(text: String) {
        let parsed = Parsed(#"{"op":"post","channel":"a","priority":\#(text)}"#)
        #expect(parsed.outcome == .refused(.invalidField))
        #expect(parsed.refusal?.message.contains("'priority': expected \"low\", \"normal\" or \"high\"") == true)
    }
}

@Suite("The shortest interval of a subscription")
struct IntervalTermTests {
    @Test("is a time in milliseconds, up to a hundred years", arguments: [1, 3_155_760_000_000] as [UInt64])
    func interval(milliseconds: UInt64) {
        Parsed(#"{"op":"subscribe","channel":"a","min_interval_ms":\#(milliseconds)}"#) { request in
            #expect(request.wishes.minimumInterval == milliseconds * 1_000_000)
        }.expect(.subscribe)
    }

    @Test("is refused when it is none", arguments: ["0", "-1", "1.5", "3155760000001", "\"1\"", "null"])
    func noInterval(text: String) {
        let parsed = Parsed(#"{"op":"subscribe","channel":"a","min_interval_ms":\#(text)}"#)
        #expect(parsed.outcome == .refused(.invalidField))
        #expect(parsed.refusal?.message.contains("'min_interval_ms': expected milliseconds") == true)
    }
}

@Suite("The group of a subscription")
struct GroupTermTests {
    @Test("is a name, with the same rules as a subject")
    func names() {
        Parsed(#"{"op":"subscribe","channel":"a","group":"w\u006frkers"}"#) { request in
            #expect(request.wishes.group.text == "workers")
        }.expect(.subscribe)
        let longest = String(repeating: "g", count: 255)
        Parsed(#"{"op":"subscribe","channel":"a","group":"\#(longest)"}"#).expect(.subscribe)
        for bad in ["\"\"", "1", "null", "\"a\\n\"", "\"\(longest)g\""] {
            let parsed = Parsed(#"{"op":"subscribe","channel":"a","group":\#(bad)}"#)
            #expect(parsed.outcome == .refused(.invalidField), "\(bad)")
        }
    }
}
