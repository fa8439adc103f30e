// Looking for the lowest free number of a connection is work like any other.

import NotifyTestSupport
import Testing

@testable import NotifyBroker

@Suite("Free numbers")
struct FreeNumberTests {
    @Test("cost a turn what was looked at to find them")
    func turns() {
        let stage = Stage()
        let client = stage.connect()
        for _ in 0..<1000 { client.send(#"{"op":"subscribe","channel":"a"}"#) }
        /// Frees the lowest number and takes two: for the second one all numbers are looked at.
        func search(_ count: Int) -> Bool {
            stage.turnIsOver {
                for _ in 0..<count {
                    client.send(#"{"op":"unsubscribe","sub":1}"#)
                    client.send(#"{"op":"subscribe","channel":"a"}"#)
                    client.send(#"{"op":"subscribe","channel":"a"}"#)
                    client.send(#"{"op":"unsubscribe","sub":1001}"#)
                }
            }
        }
        #expect(!search(Limits.workPerTurn / 1000))
        #expect(search(Limits.workPerTurn / 1000 + 1))
        #expect(client.read().isEmpty)
    }
}
