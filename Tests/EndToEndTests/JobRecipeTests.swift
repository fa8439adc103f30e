// Jobs at their time, of the page Recipes: none is forgotten and none is done twice, whoever is killed.

import Foundation
import NotifyTestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct JobRecipeTests {
    let kitchen: Kitchen

    init() throws {
        kitchen = try Kitchen()
        try kitchen.write("job", "#!/bin/bash\necho $NOTIFY_SUBJECT >> runs\n")
    }

    private func runs() throws -> [Int] { try kitchen.lines("runs").compactMap { Int($0) } }

    private func untilRun(_ count: Int) async throws { try await kitchen.untilLines("runs", count) }

    private func begin() async {
        #expect(await kitchen.run("notifyctl post job.a --subject $(date +%s) --retain").status == 0)
    }

    @Test func `jobs are done once each, at their time, while the daemon is killed again and again`() async throws {
        let every = try kitchen.start("./every 1 a ./job")
        await begin()
        for count in [1, 2, 4] {
            try await untilRun(count)
            kitchen.daemon.end(SIGKILL)
            try kitchen.daemon.start()
        }
        try await untilRun(6)
        await kitchen.end(every)
        let runs = try runs()
        #expect(runs == Array(Set(runs)).sorted())
    }

    @Test func `it goes on when it is started again, with one that was not taken or not done`() async throws {
        await begin()
        try kitchen.write("job", "#!/bin/bash\necho $NOTIFY_SUBJECT >> runs; exec sleep 60\n")
        let killed = try kitchen.start("./every 1 a ./job")
        try await untilRun(1)
        await kitchen.end(killed)
        try kitchen.write("job", "#!/bin/bash\necho $NOTIFY_SUBJECT >> runs\n")
        let every = try kitchen.start("./every 1 a ./job")
        try await untilRun(4)
        await kitchen.end(every)
        let runs = try runs()
        #expect(runs.count == Set(runs).count || runs[0] == runs[1], "what was not done: \(runs)")
    }

    @Test func `who begins it twice has it done no more often`() async throws {
        let every = try kitchen.start("./every 1 a ./job")
        for _ in 0..<3 { await begin() }
        try await untilRun(6)
        await kitchen.end(every)
        let runs = try runs()
        #expect(runs == Array(Set(runs)).sorted())
    }

    @Test func `what is no time is no job, and no command`() async throws {
        let every = try kitchen.start("./every 1 a ./job")
        try kitchen.subscribed("job.a")
        #expect(await kitchen.run("notifyctl post job.a --subject 'a[\\$(touch hacked)]'").status == 0)
        #expect(await every.errors.next(containing: "ended with status 65") != nil)
        #expect(await kitchen.run("notifyctl post job.a").status == 0)
        #expect(await every.errors.next(containing: "ended with status 65") != nil)
        #expect(!FileManager.default.fileExists(atPath: kitchen.files.path("hacked")))
        await begin()
        try await untilRun(1)
    }
}
