// A message as other programs see it.

import Foundation
import Notify
import NotifyTesting
import Testing

struct WireFormTests {
    struct Visit: NotifyCenter.Message, Equatable {
        static let channel: NotifyCenter.Channel = "site.visits"
        var url = "https://a/b"
        var count = 2
        var when = Date(timeIntervalSince1970: 0.5)
        var share = 1.5
    }

    @Test func `a message looks as it does to other programs`() throws {
        let form = try WireForm(of: Visit())
        #expect(form.channel == "site.visits")
        #expect(form.type == "Visit")
        #expect(form.text == #"{"count":2,"share":1.5,"url":"https://a/b","when":"1970-01-01T00:00:00.500000Z"}"#)
        #expect(try form.message(as: Visit.self) == Visit())
    }

    @Test func `what JSON cannot say fails as a post would`() {
        let error = #expect(throws: NotifyError.self) { try WireForm(of: Visit(share: .nan)) }
        #expect(error?.code == .encodingFailed)
    }

    @Test(arguments: [
        ("other", "Visit", "{}"), ("site.visits", "Other", "{}"), ("site.visits", "Visit", "{}"),
    ])
    func `what an observer would skip is an error`(channel: String, type: String, payload: String) throws {
        let form = WireForm(channel: try .init(validating: channel), type: type, payload: payload)
        let error = #expect(throws: NotifyError.self) { try form.message(as: Visit.self) }
        #expect(error?.code == .decodingFailed)
    }
}
