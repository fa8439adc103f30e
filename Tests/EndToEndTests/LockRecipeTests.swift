// The lock of the page Recipes: never two at a time, whoever is killed, and nobody is locked out for ever.

import Foundation
import NotifyTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct LockRecipeTests {
    let kitchen: Kitchen

    init() throws {
        kitchen = try Kitchen()
        // Fails, and leaves a trace, if it is not alone.
        try kitchen.write(
            "critical",
            """
            #!/bin/bash
            mkdir inside || { echo "$1" >> broken; exit 9; }
            echo "$1 $LOCK_SEQ" >> entered
            sleep 0.1
            rmdir inside
            """)
    }

    private func entered() throws -> [String] { try kitchen.lines("entered") }

    /// Waits until the critical section was entered so often.
    private func untilEntered(_ count: Int) async throws { try await kitchen.untilLines("entered", count) }

    /// Asked by the test itself: the time for which it is held may be over before a program has started.
    private func isHeld() throws -> Bool {
        let message: [String: Any]? = try kitchen.daemon.client().must(#"{"op":"get","channel":"lock.a"}"#)["message"]
        return message?["type"] as? String == "Held"
    }

    @Test func `many contenders get it one after the other, while the daemon is killed again and again`() async throws {
        let contenders = try (1...8).map { try kitchen.start("./with-lock a 30 ./critical \($0)") }
        for count in [1, 3, 5] {
            try await untilEntered(count)
            kitchen.daemon.end(SIGKILL)
            try kitchen.daemon.start()
        }
        for contender in contenders { #expect(await contender.status() == 0) }
        #expect(try kitchen.lines("broken") == [])
        let entries = try entered().map { $0.split(separator: " ").compactMap { Int($0) } }
        #expect(Set(entries.map(\.first)) == Set(1...8))
        let numbers = entries.compactMap(\.last)
        #expect(numbers == Array(Set(numbers)).sorted(), "each holder has a higher number: \(entries)")
    }

    @Test func `who is killed with all that it started lets its time run out, and then others go on`() async throws {
        let killed = try kitchen.start("./with-lock a 3 sh -c 'touch begun; exec sleep 60'")
        try await kitchen.untilThere("begun")
        await kitchen.end(killed)
        #expect(try isHeld())
        let others = try (1...4).map { try kitchen.start("./with-lock a 30 ./critical \($0)") }
        for other in others { #expect(await other.status() == 0) }
        #expect(try kitchen.lines("broken") == [])
        #expect(try entered().count == 4)
    }

    @Test func `a command whose lock is killed ends in time, and nobody else begins before`() async throws {
        try kitchen.write("long", "#!/bin/bash\ntrap '' TERM; echo $$ > pid.new; mv pid.new pid; sleep 60; sleep 60\n")
        let killed = try kitchen.start("./with-lock a 3 ./long")
        try await kitchen.untilThere("pid")
        killed.signal(SIGKILL)
        #expect(await killed.status() == 137)
        let command = try #require(kitchen.lines("pid").first.flatMap { Int32($0) })
        #expect(kill(command, 0) == 0, "else this test shows nothing")
        #expect(await kitchen.run("./with-lock a 30 sh -c '! kill -0 $(cat pid)'").status == 0)
    }

    @Test func `the time of a holder that says nothing is the one that it said`() async throws {
        #expect(await kitchen.run("notifyctl post lock.a 1 --type Held --retain").status == 0)
        #expect(await kitchen.run("./with-lock a 30 echo in").output == ["in"])
        #expect(try !isHeld())
    }

    @Test func `it ends with its command, by its status, by its time or by a signal, and is free`() async throws {
        #expect(await kitchen.run("./with-lock a 30 sh -c 'exit 7'").status == 7)
        #expect(await kitchen.run("./with-lock a 1 sleep 60").status == 124)
        #expect(await kitchen.run("./with-lock a 30 nonsense").status == 127)
        #expect(await kitchen.run("./with-lock a 30 cat").output == [], "its input is the command's")
        #expect(try !isHeld())
        let tool = try kitchen.start("./with-lock a 30 sh -c 'touch begun; exec sleep 60'")
        try await kitchen.untilThere("begun")
        tool.signal(SIGTERM)
        #expect(await tool.status() == 143)
        #expect(try !isHeld())
    }

    @Test func `it refuses a channel that a daemon would forget`() async throws {
        let kitchen = try Kitchen(configuration: "{}")
        let refused = await kitchen.run("./with-lock a 30 echo in")
        #expect(refused.status == 78)
        #expect(refused.output == [])
        #expect(refused.errors == ["with-lock: lock.a has to be a persistent channel"])
        let wrong = await kitchen.run("./with-lock a..b 30 echo in")
        #expect(wrong.status == 70)
        #expect(wrong.errors.first?.contains("empty token") == true)
    }

    @Test func `a lock that others have posted on, or cleared, can be taken`() async throws {
        #expect(await kitchen.run("notifyctl post lock.a 1").status == 0)
        #expect(await kitchen.run("./with-lock a 30 echo in").output == ["in"])
        #expect(await kitchen.run("notifyctl clear lock.a").status == 0)
        #expect(await kitchen.run("./with-lock a 30 echo in").output == ["in"])
    }

    @Test(arguments: ["Free", "Held"])
    func `it says so if others post on it, instead of trying for ever`(word: String) async throws {
        try kitchen.files.replace("SECONDS + 10", with: "SECONDS + 2", in: "with-lock")
        #expect(await kitchen.run("notifyctl post lock.a 60 --type \(word) --retain").status == 0)
        #expect(await kitchen.run("notifyctl post lock.a 1").status == 0)
        let refused = await kitchen.run("./with-lock a 30 echo in")
        #expect(refused.status == 70)
        #expect(refused.errors == ["with-lock: others post on lock.a"])
        #expect(await kitchen.run("notifyctl post lock.a --type Free --retain").status == 0)
        #expect(await kitchen.run("./with-lock a 30 echo in").output == ["in"])
    }
}
