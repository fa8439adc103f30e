// `--output=cloudevents`: the bytes of an event. Whether they are one is judged in EndToEndTests.

import Testing

@testable import notifyctl

@Suite("A CloudEvent")
struct CloudEventTests {
    private func text(_ message: MessageFields, host: String = "host-1.example", socket: String) -> String {
        var output: [UInt8] = []
        CloudEvent(host: host, socket: socket).append(message, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test("has all that the message says; numbers of more than 32 bits are strings")
    func all() {
        #expect(
            text(MessageFormatTests.message, socket: "/run/notifyd/socket")
                == #"{"specversion":"1.0","id":"18446744073709551615@2026-11-29T12:00:00.123456Z","#
                + #""source":"notifyd://host-1.example/run/notifyd/socket?channel=shop.cart","type":"CartDidChange","#
                + #""time":"2026-11-29T12:00:00.123456Z","channel":"shop.cart","seq":"42","pos":"18446744073709551615","#
                + #""uid":"1000","pid":"812","datacontenttype":"application/json","data":{"n":1}}"#)
    }

    @Test(
        "names the daemon in a URI, whatever its socket and machine are called",
        arguments: [
            ("host", "/a b/ü%#?&[1]/s", "notifyd://host/a%20b/%C3%BC%25%23%3F%26%5B1%5D/s?"),
            ("a_b", "@notifyd", "notifyd://a_b/@notifyd?"), ("a/b:c@d", "/s\n", "notifyd://a%2Fb%3Ac%40d/s%0A?"),
        ])
    func source(host: String, socket: String, expected: String) {
        #expect(
            text(MessageFormatTests.message, host: host, socket: socket).contains("\"source\":\"\(expected)channel="))
    }
}
