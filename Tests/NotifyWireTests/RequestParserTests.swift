// A line in, a request or a refusal with the right code out.

import NotifyWire
import Testing

@Suite("Requests")
struct RequestParserTests {
    @Test("of every op are read with all their fields")
    func everyOp() {
        Parsed(
            #"{"op":"post","id":"x","channel":"a.b","payload":[1, 2],"type":"T","subject":"s","retain":true}"#
        ) { request in
            #expect(request.channel.text == "a.b")
            #expect(request.payload.text == "[1, 2]")
            #expect(request.type.text == "T")
            #expect(request.subject.text == "s")
            #expect(request.retain)
        }.expect(.post, id: "\"x\"")
        Parsed(
            #"{"op":"subscribe","channel":"a.>","sub":4294967295,"type":"T","subject":"s","from_uid":0,"echo":false,"#
                + #""replay":"retained","buffer":{"policy":"newest","messages":1,"bytes":2147483647}}"#
        ) { request in
            #expect(request.channel.text == "a.>")
            #expect(request.sub == .max)
            #expect(request.fromUID == 0)
            #expect(request.present.contains(.fromUID))
            #expect(!request.echo)
            #expect(request.wishes.replay == .retained)
            #expect(request.wishes.bufferMessages == 1)
            #expect(request.wishes.bufferBytes == 2_147_483_647)
        }.expect(.subscribe)
        Parsed(#"{"op":"subscribe","channel":"a","replay":"none","echo":true,"buffer":{ }}"#) { request in
            #expect(request.wishes.replay == .none)
            #expect(request.echo)
            #expect(request.wishes.bufferMessages == nil)
        }.expect(.subscribe)
        Parsed(#"{"op":"unsubscribe","sub":1}"#) { #expect($0.sub == 1) }.expect(.unsubscribe)
        Parsed(#"{"op":"get","channel":"a"}"#) { #expect($0.channel.text == "a") }.expect(.get)
        Parsed(#"{"op":"clear","channel":"a"}"#) { #expect($0.channel.text == "a") }.expect(.clear)
        Parsed(#"{"op":"hello","version":1,"name":"n"}"#) { request in
            #expect(request.version == 1)
            #expect(request.name.text == "n")
        }.expect(.hello)
        Parsed(#"{"op":"channels","match":"a.*"}"#) { #expect($0.match.text == "a.*") }.expect(.channels)
        Parsed(#"{"op":"subscriptions","match":">"}"#) { #expect($0.match.text == ">") }.expect(.subscriptions)
        for op in [Op.channels, .clients, .subscriptions, .stats, .ping, .bye] {
            Parsed(#"{"op":"\#(op.name)","id":7}"#).expect(op, id: "7")
        }
        Parsed(#"{"op":"batch","posts":[]}"#) { #expect($0.posts.text == "[]") }.expect(.batch)
    }

    @Test("may have white space, escapes and any order of fields")
    func layout() {
        Parsed(" { \"payload\" : \"\\u00e9\" ,\t\"ch\\u0061nnel\" : \"\\u0061.b\" , \"op\":\"p\\u006fst\" }\r") {
            request in
            #expect(request.channel.text == "a.b")
            #expect(request.payload.text == #""\u00e9""#, "the payload stays as it came")
        }.expect(.post)
        Parsed(#"{"op":"post","channel":"a","type":"\"\u00e9\\","payload":1}"#) { request in
            #expect(request.type.text == #""é\"#)
            #expect(request.typeToken.text == #"\"\u00e9\\"#)
        }.expect(.post)
        Parsed(#"{"op":"post","channel":"a"}"#) { #expect($0.payload.text == "null") }.expect(.post)
    }

    @Test("do not see what an earlier line said")
    func noMemory() {
        var parser = RequestParser()
        let full =
            #"{"op":"subscribe","id":1,"channel":"a","type":"T","echo":false,"replay":"retained","buffer":{"messages":1}}"#
        Line.with(full) { start, end in #expect(parser.parse(start, end) == .request) }
        Line.with(#"{"op":"post","channel":"b"}"#) { start, end in
            #expect(parser.parse(start, end) == .request)
            let request = parser.request
            #expect(request.id.isEmpty && request.type.isEmpty && request.echo && request.wishes.replay == .none)
            #expect(request.wishes.bufferMessages == nil)
            #expect(request.payload.text == "null")
            #expect(!request.present.contains(.type))
        }
    }

    @Test("that are blank are no requests", arguments: ["", " ", "\r", " \t \r"])
    func blank(line: String) {
        #expect(Parsed(line).outcome == .blank)
    }

    @Test(
        "that are wrong are refused with their code and a sentence that names the culprit",
        arguments: [
            ("7", ErrorCode.invalidJSON, "at byte 0: expected '{'"), ("[]", .invalidJSON, "'{'"),
            ("null", .invalidJSON, "'{'"),
            (#"{"op":"ping"} {}"#, .invalidJSON, "at byte 14: expected the end of the line"),
            (#"{"op":"ping",}"#, .invalidJSON, "at byte 13"), (#"{"op":"pi"#, .invalidJSON, "closing quote"),
            ("{}", .invalidRequest, "no 'op'"), (#"{"id":1}"#, .invalidRequest, "no 'op'"),
            (#"{"op":"ping","op":"ping"}"#, .invalidRequest, "'op' stands twice"),
            (#"{"op":"ping","id":1,"id":1}"#, .invalidRequest, "'id' stands twice"),
            (#"{"op":"post","channel":"a","ch\u0061nnel":"b"}"#, .invalidRequest, "'channel' stands twice"),
            (#"{"op":"post","channel":"a","payload":1,"payload":1}"#, .invalidRequest, "'payload' stands twice"),
            (#"{"op":"nope"}"#, .unknownOp, "'nope'"), (#"{"op":""}"#, .unknownOp, "''"),
            (#"{"op":"POST"}"#, .unknownOp, "'POST'"),
            (#"{"op":"cancel"}"#, .missingField, "'schedule'"),
            (#"{"op":"will","payload":1}"#, .missingField, "'channel'"),
            (#"{"op":"explain"}"#, .missingField, "field 'channel'"),
            (#"{"op":"explain","channel":"a"}"#, .missingField, "field 'right'"),
            (#"{"op":"explain","channel":"a","right":"write"}"#, .invalidField, #"expected one of "post", "listen""#),
            (#"{"op":"explain","channel":"a","right":"post","uid":-1}"#, .invalidField, "expected a uid"),
            (#"{"op":"explain","channel":"a","right":"post","groups":7}"#, .invalidField, "expected an array of gids"),
            (#"{"op":"explain","channel":"a","right":"post","unit":""}"#, .invalidField, "expected 1 to 255 bytes"),
            (#"{"op":7}"#, .invalidField, "'op': expected a string"), (#"{"op":null}"#, .invalidField, "'op'"),
            (#"{"op":"ping","nope":1}"#, .unknownField, "'nope'"), (#"{"op":"ping","":1}"#, .unknownField, "'\"\"'"),
            (#"{"op":"ping","Op":1}"#, .unknownField, "'Op'"),
            (#"{"op":"ping","channel":"a"}"#, .unknownField, "op 'ping' does not have it"),
            (#"{"op":"get","channel":"a","payload":1}"#, .unknownField, "'payload': op 'get'"),
            (#"{"op":"stats","match":"a"}"#, .unknownField, "'match'"),
            (#"{"op":"post","channel":"a","sub":1}"#, .unknownField, "'sub'"),
            (#"{"op":"post"}"#, .missingField, "'channel'"), (#"{"op":"subscribe"}"#, .missingField, "'channel'"),
            (#"{"op":"get"}"#, .missingField, "'channel'"), (#"{"op":"clear"}"#, .missingField, "'channel'"),
            (#"{"op":"batch"}"#, .missingField, "'posts'"), (#"{"op":"unsubscribe"}"#, .missingField, "'sub'"),
            (#"{"op":"hello"}"#, .missingField, "'version'"),
            (#"{"op":"post","channel":7}"#, .invalidField, "'channel': expected a string"),
            (#"{"op":"post","channel":null}"#, .invalidField, "'channel'"),
            (#"{"op":"post","channel":"a","type":7}"#, .invalidField, "'type'"),
            (#"{"op":"post","channel":"a","type":""}"#, .invalidField, "'type'"),
            (#"{"op":"post","channel":"a","type":"a\u0000b"}"#, .invalidField, "'type'"),
            (#"{"op":"post","channel":"a","subject":"a\nb"}"#, .invalidField, "'subject'"),
            (#"{"op":"post","channel":"a","subject":"\u0085"}"#, .invalidField, "'subject'"),
            (#"{"op":"hello","version":1,"name":"\u007f"}"#, .invalidField, "'name'"),
            (#"{"op":"post","channel":"a","retain":1}"#, .invalidField, "'retain': expected true or false"),
            (#"{"op":"post","channel":"a","retain":"true"}"#, .invalidField, "'retain'"),
            (#"{"op":"subscribe","channel":"a","echo":null}"#, .invalidField, "'echo'"),
            (#"{"op":"batch","posts":{}}"#, .invalidField, "'posts': expected an array"),
            (#"{"op":"channels","match":[]}"#, .invalidField, "'match'"),
            (#"{"op":"subscribe","channel":"a","replay":"all"}"#, .invalidField, "'replay'"),
            (
                #"{"op":"subscribe","channel":"a","replay":{"last":0}}"#, .invalidField,
                "last: expected an integer from 1"
            ),
            (#"{"op":"subscribe","channel":"a","replay":{"last":1,"after":1}}"#, .invalidField, "at a time"),
            (#"{"op":"subscribe","channel":"a","replay":{"last":1,"last":2}}"#, .invalidRequest, "'last' stands twice"),
            (#"{"op":"subscribe","channel":"a","replay":{"last":1,"epoch":"e"}}"#, .invalidField, "belongs to 'after'"),
            (#"{"op":"subscribe","channel":"a","replay":{"epoch":"e"}}"#, .invalidField, "expected \"none\""),
            (#"{"op":"subscribe","channel":"a","replay":{"after":-1}}"#, .invalidField, "after: expected a pos"),
            (#"{"op":"subscribe","channel":"a","replay":{"since":"today"}}"#, .invalidField, "since: expected a time"),
            (#"{"op":"subscribe","channel":"a","replay":{"first":1}}"#, .unknownField, "'first' is not a member"),
            (#"{"op":"subscribe","channel":"a","replay":{}}"#, .invalidField, "expected \"none\""),
            (#"{"op":"subscribe","channel":"a","replay":7}"#, .invalidField, "expected \"none\""),
            (#"{"op":"subscribe","channel":"a","replay":7}"#, .invalidField, "'replay'"),
            (#"{"op":"subscribe","channel":"a","buffer":[]}"#, .invalidField, "'buffer': expected an object"),
            (#"{"op":"subscribe","channel":"a","buffer":{"policy":"best"}}"#, .invalidField, "policy"),
            (#"{"op":"subscribe","channel":"a","buffer":{"messages":0}}"#, .invalidField, "messages"),
            (#"{"op":"subscribe","channel":"a","buffer":{"messages":2147483648}}"#, .invalidField, "messages"),
            (#"{"op":"subscribe","channel":"a","buffer":{"bytes":1.0}}"#, .invalidField, "bytes"),
            (#"{"op":"subscribe","channel":"a","buffer":{"size":1}}"#, .unknownField, "'size'"),
            (
                #"{"op":"subscribe","channel":"a","buffer":{"bytes":1,"bytes":1}}"#, .invalidRequest,
                "'bytes' stands twice"
            ),
        ])
    func refused(line: String, code: ErrorCode, words: String) {
        let parsed = Parsed(line)
        #expect(parsed.outcome == .refused(code))
        let message = parsed.refusal?.message ?? ""
        #expect(message.contains(words), "\(message)")
        #expect((parsed.refusal?.offset != nil) == (code == .invalidJSON))
    }

    @Test(
        "have their integers as plain integers in range",
        arguments: [
            "1.7976931348623157e308", "-1e25", "1e19", "9223372036854775808", "-9223372036854775809", "0.5", "1e400",
            "1.0",
            "1e0", "-1", "-0", "4294967296", "18446744073709551616", "\"1\"", "true", "null", "[1]", "{}",
        ])
    func integers(text: String) {
        for line in [
            #"{"op":"unsubscribe","sub":\#(text)}"#, #"{"op":"subscribe","channel":"a","from_uid":\#(text)}"#,
            #"{"op":"subscribe","channel":"a","buffer":{"messages":\#(text)}}"#,
        ] {
            #expect(Parsed(line).outcome == .refused(.invalidField), "\(line)")
        }
        if text != "4294967296", text != "9223372036854775808" || text.isEmpty {
            #expect(Parsed(#"{"op":"hello","version":\#(text)}"#).outcome == .refused(.invalidField))
        }
    }
}

extension Parsed {
    func expect(_ op: Op, id: String = "", sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(outcome == .request(op), "\(refusal?.message ?? "")", sourceLocation: sourceLocation)
        #expect(self.id == id, sourceLocation: sourceLocation)
    }
}
