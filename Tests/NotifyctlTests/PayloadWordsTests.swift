// From words to a payload.

import Testing

@testable import notifyctl

@Suite("Payload words")
struct PayloadWordsTests {
    private let builder = PayloadWords(fault: JSONFault.check)

    private func payload(_ words: [String]) throws(Failure) -> String {
        String(decoding: try builder.payload(words.map { Word($0) }), as: UTF8.self)
    }

    @Test(
        "make one JSON value",
        arguments: [
            ([], "null"), (["5"], "5"), (["-5"], "-5"), ([" 1 "], "1"), (["\"a b\""], "\"a b\""),
            (["{\"a\": 1.0,\n \"a\": 2}"], "{\"a\": 1.0,  \"a\": 2}"),
            (["18446744073709551616"], "18446744073709551616"), (["\"\\u00e9\\/\""], "\"\\u00e9\\/\""),
            (["a=b"], "{\"a\":\"b\"}"), (["a="], "{\"a\":\"\"}"), (["a:=1", "b=2"], "{\"a\":1,\"b\":\"2\"}"),
            (["a=b=c"], "{\"a\":\"b=c\"}"), (["a:b=c"], "{\"a:b\":\"c\"}"), (["a:=[1, 2]"], "{\"a\":[1, 2]}"),
            (["k=\"q\"\\\n\u{1}é"], "{\"k\":\"\\\"q\\\"\\\\\\n\\u0001é\"}"), (["a:=\n1\n"], "{\"a\":1}"),
            (["url=https://a/b"], "{\"url\":\"https://a/b\"}"),
        ])
    func good(words: [String], expected: String) throws {
        #expect(try payload(words) == expected)
        #expect(JSONFault.check(Array(expected.utf8)) == nil)
    }

    @Test(
        "that are not JSON say what to do",
        arguments: [
            "hello", "{oops", "{\"a\"=1}", "[1,]", "", " ", "tru", "01", "\"a\nb\"", "\"\\ud800\"", "=1", "'a'", "NaN",
        ])
    func notJSON(word: String) {
        do throws(Failure) {
            Issue.record("accepted as \(try payload([word]))")
        } catch {
            #expect(error.status == .data)
            #expect(error.text?.contains("not JSON; for a string use --text") == true)
        }
    }

    @Test("say at which byte a document goes wrong")
    func offset() {
        #expect(
            throws: Failure(
                .data, "payload '[1,]': not JSON; for a string use --text (byte 3: expected a value)")
        ) { try payload(["[1,]"]) }
        #expect(
            throws: Failure(
                .data, "payload: value of 'k': not JSON at byte 0: expected a value; for a string write k=…")
        ) {
            try payload(["k:=x"])
        }
    }

    @Test(
        "that do not go together are a usage error",
        arguments: [
            (["1", "2"], "'2' is one word too many: the payload is '1'"),
            (["a=1", "a=2"], "key 'a' is there twice"), (["a=1", "a:=2"], "key 'a' is there twice"),
            (["a=1", "b"], "'b' is neither KEY=string nor KEY:=json"),
            (["a=1", ":=2"], "':=2' is neither KEY=string nor KEY:=json"),
            (["x", "y"], "'x' is neither KEY=string nor KEY:=json"),
        ])
    func usage(words: [String], sentence: String) {
        #expect(throws: Failure.usage(sentence)) { try payload(words) }
    }

    @Test("nest as deep as the daemon takes them and no deeper")
    func depth() throws {
        let deepest = String(repeating: "[", count: 127) + String(repeating: "]", count: 127)
        #expect(try payload([deepest]) == deepest)
        #expect(throws: Failure.self) { try payload(["[\(deepest)]"]) }
    }

    @Test("that are no UTF-8 are refused and never repaired")
    func brokenText() {
        let broken = Word(bytes: [0x22, 0xC3, 0x22])
        #expect(throws: Failure.self) { try builder.payload([broken]) }
        #expect(throws: Failure.self) { try builder.payload([Word(bytes: Array("a=".utf8) + [0xFF])]) }
        #expect(throws: Failure.self) { try builder.string([0xED, 0xA0, 0x80]) }
    }
}
