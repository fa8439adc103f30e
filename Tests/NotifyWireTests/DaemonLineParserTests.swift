// What a client makes of the daemon's lines, known, unknown and hostile.

import Testing

@testable import NotifyWire

struct DaemonLineParserTests {
    /// Parses `line` and shows the answer in words; ranges as the text they stand for.
    private func parse(_ line: String) -> String {
        parse(Array(line.utf8))
    }

    private func parse(_ line: [UInt8]) -> String {
        var shape = PayloadShape()
        return parse(line, &shape)
    }

    private func parse(_ line: [UInt8], _ shape: inout PayloadShape) -> String {
        // Something before and after, so that offsets count and nothing may be read that is not there.
        let prefix = Array("junk\n".utf8)
        let bytes = prefix + line + [10] + Array(repeating: 0xFF, count: 16)
        return bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return "" }
            func text(_ range: ByteRange) -> String {
                range.isAbsent ? "-" : String(decoding: buffer[range.indices], as: UTF8.self)
            }
            func text(_ number: UInt64?) -> String { number.map(String.init) ?? "-" }
            switch DaemonLineParser.parse(base, from: prefix.count, to: prefix.count + line.count, &shape) {
            case .message(let it):
                let flags = (it.isReplay ? " replay" : "") + (it.isRetained ? " retained" : "")
                return "message \(it.sub) \(text(it.channel)) \(it.seq) \(it.pos) \(text(it.time)) \(text(it.type)) "
                    + "\(text(it.subject)) \(it.client)/\(it.pid)/\(it.uid) \(text(it.payload))\(flags)"
            case .ok(let it):
                return "ok \(text(it.id)) \(it.seq) \(it.pos) \(it.matched) \(it.dropped) \(text(it.body))"
                    + (it.isTruncated ? " truncated" : "")
            case .error(let it):
                return "error \(text(it.id)) \(text(it.sub)) \(text(it.code)) \(text(it.message)) \(text(it.offset))"
            case .gap(let it):
                return "gap \(it.sub) \(text(it.channel)) \(text(it.from))-\(text(it.to)) \(text(it.count)) "
                    + text(it.reason)
            case .live(let sub, let pos): return "live \(sub) \(pos)"
            case .bye(let reason): return "bye \(text(reason))"
            case .unknown: return "unknown"
            case .blank: return "blank"
            case .malformed(let offset, let expected): return "malformed \(offset) \(expected)"
            }
        }
    }

    /// The same line as the daemon writes it and with a space that makes it unusual.
    @Test(arguments: [
        #"{"op":"message","sub":1,"channel":"shop.cart","seq":42,"pos":5312,"time":"T","from":{"client":3,"pid":8,"uid":0},"payload":[1]}"#,
        #"{"op":"message","sub":1,"replay":true,"channel":"a","seq":1,"pos":2,"time":"T","type":"A","from":{"client":3,"pid":8,"uid":0},"retain":true,"payload":null}"#,
        #"{"op":"message","sub":1,"channel":"a","seq":1,"pos":2,"time":"T","type":"\u0041\"","subject":"ä","from":{"client":3,"pid":8,"uid":4294967295},"payload":"x"}"#,
        #"{"op":"message","sub":1,"channel":"a","seq":1,"pos":2,"time":"T","subject":"s","from":{"client":3,"pid":8,"uid":0},"payload":0.5}"#,
        #"{"op":"message","sub":1,"channel":"a","seq":01,"pos":2,"time":"T","from":{"client":3,"pid":8,"uid":0},"payload":0.5}"#,
        #"{"op":"message","sub":1,"channel":"a","seq":999999999999999999,"pos":9999999999999999999,"time":"T","from":{"client":3,"pid":8,"uid":0},"payload":0}"#,
        #"{"op":"message","sub":1,"channel":"a","seq":18446744073709551616,"pos":1,"time":"T","from":{"client":3,"pid":8,"uid":0},"payload":0}"#,
        #"{"op":"message","sub":1.5,"channel":"a","seq":1,"pos":1,"time":"T","from":{"client":3,"pid":8,"uid":0},"payload":0}"#,
        #"{"op":"message","sub":1,"channel":"a","seq":1,"pos":1,"time":"T","from":{"client":3,"pid":8,"uid":0},"payload":}"#,
        #"{"op":"message","sub":1,"channel":"a","seq":1,"pos":1,"time":"T","from":{"client":3,"pid":8,"uid":0},"payload":1}}"#,
        #"{"op":"message","sub":1,"channel":"a","seq":1,"pos":1,"time":"T","from":{"client":3,"pid":8,"uid":0,"gid":5},"payload":1,"new":2}"#,
        #"{"op":"message","sub":1,"channel":"a","seq":1,"pos":1,"time":"T","from":{"client":3,"pid":8,"uid":0},"payload":"unterminated}"#,
    ])
    func `the usual order and any other are read alike`(line: String) {
        let unusual = "{ " + line.dropFirst()
        var expected = parse(unusual)
        if expected.hasPrefix("malformed "),
            let offset = expected.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        {
            expected = expected.replacing("malformed \(offset)", with: "malformed \(offset - 1)")
        }
        #expect(parse(line) == expected)
    }

    @Test func `a payload like those before is read as one that comes alone`() {
        let payloads = [
            #"{"n":1}"#, #"{"n":2}"#, #"{"n":3}"#, #"{"n":x}"#, #"{"n":0}"#, #"{"n":44}"#, #"{"n":5},"#, #"{"n":6}}"#,
            #"{"m":7}"#, #"["8","#, #"["9"] "#, "1234567", #""12345"#, #"{"n":8}"#,
        ]
        var shape = PayloadShape()
        for payload in payloads {
            let line = Array(
                (#"{"op":"message","sub":1,"channel":"a","seq":1,"pos":2,"time":"T","from":{"client":3,"pid":8,"uid":0},"#
                    + #""payload":\#(payload)}"#).utf8)
            #expect(parse(line, &shape) == parse(line))
        }
        #expect(shape.count == 7)
    }

    @Test func `no beginning of a usual line is taken for a whole one`() {
        let line =
            #"{"op":"message","sub":1,"replay":true,"channel":"a","seq":1,"pos":2,"time":"T","type":"A","subject":"s","from":{"client":3,"pid":8,"uid":0},"retain":true,"payload":[{"a":1}]}"#
        #expect(parse(line).hasPrefix("message"))
        for length in 1..<line.utf8.count { #expect(parse(String(line.prefix(length))).hasPrefix("malformed")) }
    }

    @Test(arguments: [
        (
            #"{"op":"message","sub":1,"channel":"shop.cart","seq":42,"pos":5312,"time":"2026-11-29T12:00:00.123456Z","type":"CartDidChange","subject":"cart-42","from":{"client":3,"pid":812,"uid":1000},"payload":{"a": [1, 2]}}"#,
            #"message 1 shop.cart 42 5312 2026-11-29T12:00:00.123456Z CartDidChange cart-42 3/812/1000 {"a": [1, 2]}"#
        ),
        (
            #" { "payload" : null , "replay":true, "retain" : true,"pos":2,"seq":1,"channel":"a","sub":7,"op":"message" } "#,
            "message 7 a 1 2 - - - 0/0/0 null replay retained"
        ),
        (
            #"{"op":"message","sub":18446744073709551615,"channel":"a","seq":18446744073709551615,"pos":9007199254740993,"payload":0.10}"#,
            "message 18446744073709551615 a 18446744073709551615 9007199254740993 - - - 0/0/0 0.10"
        ),
        (#"{"op":"ok","id":7,"seq":42,"pos":5312,"matched":3,"dropped":0}"#, "ok 7 42 5312 3 0 -"),
        (
            #"{"op":"ok","id":1,"channels":[{"channel":"a"}],"truncated":true}"#,
            #"ok 1 0 0 0 0 [{"channel":"a"}] truncated"#
        ),
        (#"{"op":"ok","id":1,"message":null}"#, "ok 1 0 0 0 0 null"),
        (#"{"op":"ok","id":"x"}"#, "ok - 0 0 0 0 -"),
        (
            #"{"op":"error","id":7,"code":"invalid_channel","message":"channel 'a..b': empty token at byte 2"}"#,
            "error 7 - invalid_channel channel 'a..b': empty token at byte 2 -"
        ),
        (#"{"op":"error","code":"invalid_json","message":"m","offset":12}"#, "error - - invalid_json m 12"),
        (#"{"op":"error","sub":4,"code":"overflow","message":"m"}"#, "error - 4 overflow m -"),
        (
            #"{"op":"gap","sub":1,"channel":"shop.cart","from":43,"to":57,"count":15,"reason":"overflow"}"#,
            "gap 1 shop.cart 43-57 15 overflow"
        ),
        (#"{"op":"gap","sub":1,"count":null,"reason":"history"}"#, "gap 1 - --- - history"),
        (#"{"op":"gap","sub":1,"channel":"a","to":7,"count":null,"reason":"history"}"#, "gap 1 a --7 - history"),
        (#"{"op":"live","sub":1,"pos":5312}"#, "live 1 5312"),
        (#"{"op":"bye","reason":"shutting_down"}"#, "bye shutting_down"),
        (#"{"op":"later","x":[{}]}"#, "unknown"),
        ("", "blank"), (" \t\r", "blank"),
    ])
    func `each line means what the protocol says`(line: String, meaning: String) {
        #expect(parse(line) == meaning)
    }

    @Test func `fields of a newer protocol are passed over`() {
        let line =
            #"{"new":{"op":"error","deep":[[]]},"op":"live","sub":1,"pos":2,"from":{"x":1,"uid":5},"priority":"high"}"#
        #expect(parse(line) == "live 1 2")
    }

    @Test(arguments: [
        (#"{"op":"message","channel":"a","seq":1,"pos":1,"payload":1}"#, "a number 'sub'"),
        (#"{"op":"message","sub":1,"channel":"a","pos":1,"payload":1}"#, "a number 'seq'"),
        (#"{"op":"message","sub":1,"channel":"a","seq":1,"payload":1}"#, "a number 'pos'"),
        (#"{"op":"message","sub":1,"channel":"a","seq":1.5,"pos":1,"payload":1}"#, "a number 'seq'"),
        (#"{"op":"message","sub":-1,"channel":"a","seq":1,"pos":1,"payload":1}"#, "a number 'sub'"),
        (#"{"op":"message","sub":1,"channel":"a","seq":1e3,"pos":1,"payload":1}"#, "a number 'seq'"),
        (#"{"op":"message","sub":18446744073709551616,"channel":"a","seq":1,"pos":1,"payload":1}"#, "a number 'sub'"),
        (#"{"op":"message","sub":1,"channel":5,"seq":1,"pos":1,"payload":1}"#, "a string 'channel'"),
        (#"{"op":"message","sub":1,"channel":"a","seq":1,"pos":1}"#, "a member 'payload'"),
        (#"{"op":"gap","reason":"overflow"}"#, "a number 'sub'"),
        (#"{"op":"error","message":"m"}"#, "a string 'code'"),
        (#"{"id":1}"#, "a member 'op'"), ("{}", "a member 'op'"), (#"{"op":7}"#, "a member 'op'"),
    ])
    func `what a client relies on must be there`(line: String, expected: String) {
        #expect(parse(line) == "malformed \(line.utf8.count) \(expected)")
    }

    @Test(arguments: [
        "[]", "7", "nonsense", #"{"op":"live","sub":1,"pos":2}x"#, #"{"op":"live","sub":1,}"#, #"{"op":"#,
    ])
    func `what is not one object is malformed`(line: String) {
        #expect(parse(line).hasPrefix("malformed"))
    }

    @Test func `every cut and every flipped byte of a line gets an answer`() {
        let line = Array(
            #"{"op":"message","sub":1,"channel":"a.b","seq":42,"pos":5,"subject":"ü😀\u00e9","from":{"client":3,"pid":8},"payload":{"k":[true,null,-1.5e3,"x\n"]}}"#
                .utf8)
        var malformed = 0
        for cut in 0..<line.count where parse(Array(line[..<cut])).hasPrefix("malformed") { malformed += 1 }
        // All but the empty line.
        #expect(malformed == line.count - 1)
        var meanings: Set<String> = []
        for index in line.indices {
            for byte in [0x00, 0x22, 0x5C, 0x7B, 0x7D, 0x80, 0xC3, 0xFF] as [UInt8] {
                var bent = line
                bent[index] = byte
                meanings.insert(String(parse(bent).prefix { $0 != " " }))
            }
        }
        #expect(meanings.isSubset(of: ["malformed", "message", "unknown"]))
        #expect(meanings.contains("malformed"))
    }

    @Test(arguments: [127, 128])
    func `nesting is limited, the envelope counted`(depth: Int) {
        let payload = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        let meaning = parse(#"{"op":"message","sub":1,"channel":"a","seq":1,"pos":1,"payload":"# + payload + "}")
        #expect(meaning.hasPrefix(depth == 127 ? "message" : "malformed"))
    }

    @Test func `the retained message in a reply is read on its own`() {
        let object =
            #"{"channel":"a","seq":4,"pos":5,"time":"t","from":{"client":1,"pid":2,"uid":3},"retain":true,"payload":[1]}"#
        let bytes = Array(object.utf8) + Array(repeating: 10, count: 17)
        let fields = bytes.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.flatMap { DaemonLineParser.parseMessage($0, ByteRange(0, object.utf8.count)) }
        }
        #expect(fields?.seq == 4)
        #expect(fields?.isRetained == true)
        #expect(fields.map { String(decoding: bytes[$0.payload.indices], as: UTF8.self) } == "[1]")
    }
}
