// The table of `clients`.

import Foundation
import Notify
import Testing

@testable import notifyctl

@Suite("The table of clients")
struct ClientsTests {
    private let clock = WallClock(
        now: { 1_795_957_200 },
        local: { seconds in
            var seconds = seconds
            var result = tm()
            gmtime_r(&seconds, &result)
            return result
        })

    private func lines(
        pid: Int, uid: Int, name: String, connected: String, more: String = "", program: ProgramName = ProgramName(),
        width: Int?
    ) throws -> [String] {
        let json = """
            [{"client":12,"pid":\(pid),"uid":\(uid),"gid":1000,"name":"\(name)","subscriptions":2,"posts":3,\
            "delivered":4,"dropped":5,"queued_messages":6,"queued_bytes":7,"connected":"\(connected)"\(more)}]
            """
        let clients = try JSONDecoder().decode([NotifyCenter.ClientInfo].self, from: Data(json.utf8))
        return Clients.table(clock: clock) { _ in program }(clients).lines(width: width, style: .plain)
    }

    @Test("tells since when each is there, to the second, and its name last")
    func row() throws {
        let start = "CLIENT     PID   UID  SINCE                SUBS  POSTS  DELIVERED  DROPPED  WAITING  "
        #expect(
            try lines(pid: 123456, uid: 1000, name: "shop", connected: "2026-11-28T10:00:00.5Z", width: nil) == [
                start + "STATE  COMMAND  LAST  IN  OUT  UNIT  NAME",
                "    12  123456  1000  2026-11-28 10:00:00     2      3          4        5        6"
                    + String(repeating: " ", count: 39) + "shop",
            ])
    }

    @Test("tells what each is, what it says and gets, and why it waits; from names of others no control character")
    func state() throws {
        let more = #","blocked":true,"paused":"answers","bytes_in":2048,"bytes_out":5,"last":"2026-11-29T15:00:00Z""#
        let program = ProgramName(command: "sh\u{1B}[2Jop", unit: "shop.service")
        let row = try lines(
            pid: 1, uid: 2, name: "n", connected: "2026-11-29T15:00:00.5Z", more: more, program: program, width: nil)[1]
        #expect(row.hasSuffix("  behind,answers  sh\\u001b[2Jop  15:00:00  2.0K    5  shop.service  n"))
    }

    @Test("fits into 80 columns as long as the numbers do, by cutting the name")
    func narrow() throws {
        let name = String(repeating: "n", count: 40)
        let lines = try lines(pid: 12345, uid: 0, name: name, connected: "2026-11-29T15:00:00.5Z", width: 80)
        #expect(lines.allSatisfy { $0.count <= 80 })
        #expect(lines[1].hasSuffix("  nnnnnnn…"))
    }
}
