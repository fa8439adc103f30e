// How bytes become lines, in whatever pieces they come (trials T029, T031, T033, T039).

import NotifyTestSupport
import Testing

@Suite(.ownThreads) struct FramingTests {
    let daemon: TestDaemon
    let listener: RawClient
    let poster: RawClient

    init() throws {
        daemon = try TestDaemon()
        listener = try daemon.client()
        poster = try daemon.client()
        try listener.subscribe("frame")
    }

    static let lineBytes = 1 << 20

    /// A post that is `count` bytes long with its newline.
    static func post(ofBytes count: Int, id: Int) -> [UInt8] {
        let head = Array("{\"op\":\"post\",\"id\":\(id),\"channel\":\"frame\",\"payload\":\"".utf8)
        let tail = Array("\"}\n".utf8)
        return head + [UInt8](repeating: UInt8(ascii: "y"), count: count - head.count - tail.count) + tail
    }

    static let manyBytesEach = "é中😀‱𝄞ß\u{301}ñ"

    @Test func `a line may be cut anywhere, inside a character too`() throws {
        let line = Array("{\"op\":\"post\",\"channel\":\"frame\",\"payload\":\"\(Self.manyBytesEach)\"}\n".utf8)
        for cut in 1..<line.count {
            try poster.send(bytes: Array(line[..<cut]))
            try poster.waitUntilRead()
            try poster.send(bytes: Array(line[cut...]))
            #expect(try listener.line().payload == "\"\(Self.manyBytesEach)\"", "cut at \(cut)")
        }
    }

    @Test func `a line may come one byte at a time`() throws {
        for byte in "{\"op\":\"post\",\"id\":1,\"channel\":\"frame\",\"payload\":\"\(Self.manyBytesEach)\"}\n".utf8 {
            try poster.send(bytes: [byte])
            try poster.waitUntilRead()
        }
        #expect(try poster.line().integer("seq") == 1)
        #expect(try listener.line().payload == "\"\(Self.manyBytesEach)\"")
    }

    @Test func `many lines may come at once`() throws {
        let count = 2000
        let lines = (1...count).map { "{\"op\":\"post\",\"id\":\($0),\"channel\":\"frame\",\"payload\":\($0)}\n" }
        try poster.send(bytes: Array(lines.joined().utf8))
        for number in 1...count {
            #expect(try poster.line().integer("id") == number)
            #expect(try listener.line().payload == String(number))
        }
    }

    @Test func `blank lines are passed over without an answer`() throws {
        for blank in ["\n", "\r\n", "   \n", "\t\r\n", String(repeating: "\n", count: 10_000)] {
            try poster.send(bytes: Array(blank.utf8))
            #expect(try poster.ask("{\"op\":\"ping\"}").op == "ok")
        }
    }

    @Test func `a carriage return before the newline is dropped`() throws {
        try poster.send("{\"op\":\"post\",\"id\":1,\"channel\":\"frame\",\"payload\":1}\r")
        #expect(try poster.line().op == "ok")
        #expect(try listener.line().payload == "1")
    }

    @Test(arguments: [
        "a\u{2028}b", "a\u{2029}b", "a\u{85}b", #"a\u000bb"#, #"a\u000cb"#, #"a\r\nb"#, "a\u{7F}b", "\u{FFFF}",
    ])
    func `a line ends at byte 0x0A and nowhere else`(text: String) throws {
        try poster.post("frame", "\"\(text)\"")
        #expect(try listener.line().payload == "\"\(text)\"")
    }

    @Test func `a line of line_bytes is taken, one byte more is refused once`() throws {
        for (count, isTaken) in [(Self.lineBytes - 1, true), (Self.lineBytes, true), (Self.lineBytes + 1, false)] {
            try poster.send(bytes: Self.post(ofBytes: count, id: count))
            let answer = try poster.line()
            if isTaken {
                #expect(answer.integer("id") == count)
                #expect(try listener.line().integer("seq") == answer.integer("seq"))
            } else {
                #expect(answer.code == "line_too_long")
                #expect(!answer.has("id"))
                #expect(answer.message.contains(String(Self.lineBytes)))
            }
            try poster.post("frame", "0")
            #expect(try listener.line().payload == "0")
        }
    }

    @Test(arguments: [false, true]) func `a line that never ends costs no memory`(afterHello: Bool) throws {
        if afterHello { try poster.must("{\"op\":\"hello\",\"version\":1}") }
        let before = daemon.peakMemory
        let block = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
        let blocks = 64
        for _ in 0..<blocks { try poster.send(bytes: block) }
        try poster.waitUntilRead()
        #expect(try poster.line().code == "line_too_long")
        daemon.expectPeak(since: before, below: 2 * Self.lineBytes / 1024)
        // Its end is found, and it was one line.
        try poster.send(bytes: [10])
        try poster.post("frame", "1")
        #expect(try listener.line().payload == "1")
    }

    @Test func `line_bytes can be set`() throws {
        let daemon = try TestDaemon(configuration: "{ limits: { line_bytes: 8192 } }")
        let client = try daemon.client()
        for (count, op) in [(8192, "ok"), (8193, "error")] {
            try client.send(bytes: Self.post(ofBytes: count, id: 1))
            #expect(try client.line().op == op, "\(count) bytes")
        }
    }
}
