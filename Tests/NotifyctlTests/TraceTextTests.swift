// What `trace` prints for people.

import Foundation
import Testing

@testable import notifyctl

@Suite("A trace's text")
struct TraceTextTests {
    private func lines(_ json: String) throws -> [String] {
        let event = try JSONDecoder().decode(TraceEvent.self, from: Data(json.utf8))
        let text = TraceText(style: .plain, clock: WallClock()) {
            $0 == 80 ? ProgramName(command: "shop\u{1B}d") : .init()
        }
        return text.lines(of: event).split(separator: "\n").map(String.init)
    }

    @Test("has a line for the post and one for each receiver, and no control character of others")
    func posted() throws {
        let text = try lines(
            #"{"event":"posted","channel":"a.b","type":"T","subject":"s\u001b","bytes":5,"from":{"client":2,"pid":80,"uid":8},"#
                + #""seq":7,"pos":9,"matched":2,"dropped":0,"receivers":[{"client":3,"pid":70,"uid":7,"sub":1,"#
                + #""pattern":"a.*","outcome":"queued","waiting":12},{"client":44,"pid":80,"uid":7,"sub":1,"#
                + #""pattern":"a.b","outcome":"filtered","reason":"type"}],"outcomes":{"queued":1,"filtered":66}}"#)
        #expect(
            text == [
                "a.b seq 7 T s\\u001b from client 2 shop\\u001bd (process 80, uid 8) (5 bytes): 66 filtered, 1 queued",
                "    queued    12 waiting   client 3  (process 70, uid 7)              a.*",
                "    filtered  type        client 44  (process 80 shop\\u001bd, uid 7)  a.b",
                "    and 65 more",
            ])
    }

    @Test("counts what no daemon counts without a fault")
    func absurd() throws {
        let outcomes = #"{"queued":18446744073709551615,"filtered":3}"#
        #expect(try lines(#"{"event":"posted","channel":"a","outcomes":\#(outcomes)}"#).last == "    and 2 more")
        let most = #"{"queued":18446744073709551615}"#
        #expect(try lines(#"{"event":"posted","channel":"a","outcomes":\#(most)}"#).last == "    and \(Int.max) more")
    }

    @Test(
        "says in a sentence what else happened",
        arguments: [
            (
                #"{"event":"posted","channel":"a","bytes":4,"from":{"client":2,"pid":1,"uid":8},"seq":1,"outcomes":{}}"#,
                "a seq 1 from client 2 (process 1, uid 8) (4 bytes): nobody listens"
            ),
            (
                #"{"event":"lost","channel":"a","from":3,"to":9,"count":5,"reason":"expired","#
                    + #""receiver":{"client":3,"pid":7,"uid":7,"sub":1,"pattern":"a.*"}}"#,
                "a seq 3 to 9: 5 messages lost for client 3 (process 7, uid 7) a.* (expired)"
            ),
            (
                #"{"event":"lost","channel":"a","from":3,"to":3,"count":1,"reason":"overflow","#
                    + #""receiver":{"client":3,"pid":7,"uid":7,"sub":1,"pattern":"a"}}"#,
                "a seq 3: 1 message lost for client 3 (process 7, uid 7) a (overflow)"
            ),
            (
                #"{"event":"refused","channel":"a","bytes":1,"from":{"client":2,"pid":1,"uid":8},"code":"denied","#
                    + #""message":"no"}"#,
                "a from client 2 (process 1, uid 8) (1 byte): refused: no (denied)"
            ),
            (
                #"{"event":"duplicate","channel":"a","bytes":1,"from":{"client":2,"pid":1,"uid":8}}"#,
                "a from client 2 (process 1, uid 8) (1 byte): duplicate"
            ),
            (#"{"event":"missed","count":7}"#, "7 events were too many to be told"),
        ])
    func sentences(json: String, sentence: String) throws {
        #expect(try lines(json) == [sentence])
    }
}
