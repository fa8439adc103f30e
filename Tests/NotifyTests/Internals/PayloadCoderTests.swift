// Values as JSON, both ways, and what is no JSON.

// Payloads become JSON and back: what is written, what is read, and what neither can do.

import Foundation
import Testing

@testable import Notify

struct PayloadCoderTests {
    private struct Visit: NotifyCenter.Message, Equatable {
        static let channel: NotifyCenter.Channel = "visits"
        var url = "https://a/b"
        var when = Date(timeIntervalSince1970: 1_795_953_600.25)
        var share = 0.5
    }

    @Test func `slashes stay, dates are text`() throws {
        let text = String(decoding: try PayloadCoder.encode(Visit()), as: UTF8.self)
        #expect(text.contains(#""url":"https://a/b""#))
        #expect(text.contains(#""when":"2026-11-29T12:00:00.250000Z""#))
        #expect(try PayloadCoder.decode(Visit.self, from: Data(text.utf8)) { "visits" } == Visit())
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `what JSON cannot say fails to encode`(share: Double) {
        let error = #expect(throws: NotifyError.self) { try PayloadCoder.encode(Visit(share: share)) }
        #expect(error?.code == .encodingFailed)
        #expect(error?.cause is EncodingError)
    }

    @Test func `a payload of another shape fails to decode, with the cause`() {
        let error = #expect(throws: NotifyError.self) {
            try PayloadCoder.decode(Visit.self, from: Data("{}".utf8)) { "visits" }
        }
        #expect(error?.code == .decodingFailed)
        #expect(error?.cause is DecodingError)
    }

    @Test(arguments: [
        ("null", "null"), (" [1,\n 2]\r\n", " [1,  2]  "), ("18446744073709551616", "18446744073709551616"),
        (#"{"a":1,"a":2}"#, #"{"a":1,"a":2}"#), (#""x\\\" y""#, #""x\\\" y""#),
    ])
    func `bytes pass as they are, but on one line`(payload: String, sent: String) throws {
        #expect(String(decoding: try PayloadCoder.check(payload.utf8), as: UTF8.self) == sent)
    }

    @Test(arguments: [
        ("", 0), ("{", 1), ("[1,]", 3), ("01", 1), ("\"a\nb\"", 2), ("1 2", 2), ("nul", 0), ("'a'", 0),
        ("\u{FEFF}1", 0),
        ("1}\n{\"op\":\"bye\"}", 1), (#""\ud800""#, 1),
    ])
    func `what is not one strict value is refused at its byte`(payload: String, offset: Int) {
        let error = #expect(throws: NotifyError.self) { try PayloadCoder.check(payload.utf8) }
        #expect(error?.code == .invalidJSON)
        #expect(error?.offset == offset)
    }

    @Test(arguments: [127, 128])
    func `nesting is limited, the envelope counted`(depth: Int) {
        let payload = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        let error = (try? PayloadCoder.check(payload.utf8)) == nil
        #expect(error == (depth > 127))
    }
}
