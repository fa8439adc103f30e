// The recipes of the page do what it says of them, when the daemon is killed in the middle and when they are themselves.
// That they work at all is seen where the pages' examples are run.

import Foundation
import NotifyTestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct RecipeTests {
    let kitchen: Kitchen

    init() throws { kitchen = try Kitchen() }

    @Test func `who waits for a service is told by the next daemon, too`() async throws {
        let waiting = try kitchen.start("./wait-for web")
        try kitchen.subscribed("service.web")
        kitchen.daemon.end(SIGKILL)
        try kitchen.daemon.start()
        let boot = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
            .filter { $0 != "-" && $0 != "\n" }
        #expect(await kitchen.run("notifyctl post service.web --type Ready --retain --subject 0").status == 0)
        #expect(await kitchen.run("./wait-for web 0.2").status == 124, "that was another boot's")
        #expect(await kitchen.run("notifyctl post service.web --type Ready --retain --subject \(boot)").status == 0)
        #expect(await waiting.status() == 0)
        kitchen.daemon.end(SIGKILL)
        try kitchen.daemon.start()
        #expect(await kitchen.run("./wait-for web").status == 0, "it still is")
    }

    @Test func `each deployment is run once, whoever is killed and started again`() async throws {
        try kitchen.files.replace(
            "echo \"deploying", with: "echo $NOTIFY_SEQ >> runs; echo \"deploying", in: "on-deploy")
        #expect(await kitchen.run("notifyctl post deploy.web 1 --subject web").status == 0)
        for round in 0..<3 {
            let deployer = try kitchen.start("./deployer")
            try kitchen.subscribed("deploy.>")
            if round == 0 { #expect(await deployer.output.next() == "deploying web 1") }
            for number in (3 * round + 2)...(3 * round + 4) {
                #expect(await kitchen.run("notifyctl post deploy.web \(number) --subject web").status == 0)
                if number == 3 * round + 2 {
                    kitchen.daemon.end(SIGKILL)
                    try kitchen.daemon.start()
                }
                if number < 3 * round + 4 { #expect(await deployer.output.next(containing: " \(number)") != nil) }
            }
            // The last one may be under way, or not even begun.
            await kitchen.end(deployer)
        }
        let last = try kitchen.start("./deployer")
        #expect(await kitchen.run("notifyctl post deploy.web 11 --subject web").status == 0)
        #expect(await last.output.next(containing: "11") == "deploying web 11")
        let runs = try kitchen.lines("runs").compactMap { Int($0) }
        #expect(Set(runs) == Set(1...11))
        #expect(runs == runs.sorted())
        #expect(runs.count <= 11 + 3, "only what was under way may be done again: \(runs)")
    }

    @Test func `all services answer to a reload, and who does not is not waited for`() async throws {
        #expect(await kitchen.run("./reload-all 5").status == 79)
        let web = try kitchen.start("./reload-on web true")
        let mail = try kitchen.start("./reload-on mail sh -c 'exit 3'")
        try kitchen.subscribed("config.reload", times: 2)
        for _ in 0..<2 {
            let all = await kitchen.run("./reload-all 20")
            #expect(all.status == 0)
            #expect(Set(all.output) == [#"{"service":"web","status":0}"#, #"{"service":"mail","status":3}"#])
            kitchen.daemon.end(SIGKILL)
            try kitchen.daemon.start()
            try kitchen.subscribed("config.reload", times: 2)
        }
        mail.signal(SIGSTOP)
        var (seconds, answers): (Int, [String]) = (1, [])
        // It is over when the time is: so there must be enough for the other one to answer.
        while answers.isEmpty, seconds < 100 {
            let some = await kitchen.run("./reload-all \(seconds)")
            #expect(some.status == 124)
            (seconds, answers) = (4 * seconds, some.output)
        }
        #expect(answers == [#"{"service":"web","status":0}"#])
        mail.signal(SIGCONT)
        _ = web
    }

    @Test func `a note on the desktop is neither an option nor markup`() async throws {
        try kitchen.write("notify-send", "#!/bin/sh\nprintf '<%s>' \"$@\"; echo\n")
        let listener = try kitchen.start("notifyctl listen user.0.desktop --exec ./show-note")
        try kitchen.subscribed("user.0.desktop")
        #expect(await kitchen.run(#"notifyctl post user.0.desktop summary="--help \$(id)" body="<b>&'""#).status == 0)
        #expect(
            await listener.output.next()
                == "<--app-name><user.0.desktop><--><--help $(id)><&lt;b&gt;&amp;&#x27;>")
        #expect(await kitchen.run("notifyctl post user.0.desktop 1").status == 0)
        #expect(await listener.errors.next(containing: "ended with status 1") != nil, "and goes on")
        #expect(await kitchen.run("notifyctl post user.0.desktop summary=two").status == 0)
        #expect(await listener.output.next() == "<--app-name><user.0.desktop><--><two><>")
    }
}
