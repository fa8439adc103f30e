// The command line of `listen`.

import Notify
import Testing

@testable import notifyctl

@Suite("The options of listen")
struct ListenOptionsTests {
    private func listen(_ words: [String]) throws -> ListenOptions {
        guard case .run(let command, _) = try Request(["listen"] + words.map { Word($0) }),
            let listen = command as? Listen
        else { throw Failure(.software, "nothing to run") }
        return listen.options
    }

    @Test("the defaults: for ever, everything, what is new")
    func defaults() throws {
        let options = try listen(["a.>"])
        #expect(options.patterns.map(\.rawValue) == ["a.>"])
        #expect(options.count == nil)
        #expect(options.timeout == nil)
        #expect(options.idle == nil)
        #expect(options.subscription == NotifyCenter.SubscriptionOptions())
        #expect(options.records.shape == nil)
        #expect(options.reconnects)
        #expect(!options.failsOnGap)
        #expect(options.jobs == 1)
    }

    @Test("every option has its effect")
    func all() throws {
        let options = try listen([
            "a", "-n3", "--timeout=1m", "--idle=500ms", "-tT", "-sS", "--from-uid=1000", "--replay=retained", "b.*",
            "--until-live", "--buffer=newest:7", "--min-interval=2s", "--group=workers", "--output=payload", "-0",
            "--fail-on-gap", "--no-reconnect",
        ])
        #expect(options.patterns.map(\.rawValue) == ["a", "b.*"])
        #expect(options.count == 3)
        #expect(options.timeout == .seconds(60))
        #expect(options.idle == .milliseconds(500))
        let expected = NotifyCenter.SubscriptionOptions(
            type: "T", subject: "S", fromUID: 1000, replay: .retained, buffer: .bufferingNewest(7),
            minimumInterval: .seconds(2), group: "workers")
        #expect(options.subscription == expected)
        #expect(options.endsWhenLive)
        #expect(options.records.shape == .payload)
        #expect(options.records.endsWithNUL)
        #expect(options.failsOnGap)
        #expect(!options.reconnects)
    }

    @Test(
        "--buffer has a policy, and a number for most",
        arguments: [
            ("newest", .standard), ("newest:1", .bufferingNewest(1)), ("oldest:5", .bufferingOldest(5)),
            ("oldest", .bufferingOldest(65536)), ("latest", .latestPerSubject), ("fail:7", .failing(7)),
            ("block:2", .blocking(2)),
        ] as [(String, NotifyCenter.BufferPolicy)])
    func buffers(text: String, policy: NotifyCenter.BufferPolicy) throws {
        #expect(try listen(["a", "--buffer=\(text)"]).subscription.buffer == policy)
    }

    @Test("--exec takes the rest of the line")
    func exec() throws {
        let options = try listen(["a", "--jobs=4", "--exec", "cat", "-n", "--json"])
        #expect(options.command == ["cat", "-n", "--json"])
        #expect(options.jobs == 4)
        #expect(options.records.shape == nil)
    }

    @Test("--json is another word for --output=json")
    func json() throws {
        #expect(try listen(["a", "--json"]).records.shape == .json)
        #expect(try listen(["a", "--json", "--output=json"]).records.shape == .json)
    }

    @Test(
        "a mistake is a usage error with one sentence",
        arguments: [
            ([], "PATTERN is missing"),
            (["a", "-n", "0"], "--count: '0' is not a whole number from 1"),
            (["a", "-n", "+1"], "--count: '+1' is not a whole number from 1"),
            (["a", "-n", "99999999999999999999"], "--count: '99999999999999999999' is not a whole number from 1"),
            (["a", "--timeout=soon"], "--timeout: 'soon' is not a duration: write 500ms, 2s, 1.5h or seconds"),
            (["a", "--timeout=0"], "--timeout: must be longer than nothing"),
            (["a", "--from-uid=4294967296"], "--from-uid: there is no user '4294967296'"),
            (["a", "--from-uid=-1"], "--from-uid: there is no user '-1'"),
            (["a", "--until-live"], "--until-live needs --replay"),
            (["a", "--replay=0"], "--replay: '0' is not a whole number from 1"),
            (["a", "--replay=+5"], "--replay: '+5' is not a whole number from 1"),
            (
                ["a", "--replay=2026-11-30T23:00:00"],
                "--replay: '2026-11-30T23:00:00' has no zone: write 2026-11-30T23:00:00Z, or +01:00 instead of Z"
            ),
            (["a", "--replay=pos:"], "--replay: '' is no position"),
            (["a", "--replay=pos:-1"], "--replay: '-1' is no position"),
            (["a", "--replay=pos:9223372036854775808"], "--replay: '9223372036854775808' is no position"),
            (["a", "--replay=pos:1/"], "--replay: '' is no epoch"),
            (
                ["a", "--replay=yesterday"],
                "--replay: 'yesterday' is none of retained, N, pos:POS[/EPOCH], 5m, 2026-11-29T12:00:00Z"
            ),
            (
                ["a", "--replay=0s"],
                "--replay: '0s' is none of retained, N, pos:POS[/EPOCH], 5m, 2026-11-29T12:00:00Z"
            ),
            (["a", "--min-interval=0"], "--min-interval: must be longer than nothing"),
            (["a", "--group="], "--group: NAME has 1 to 255 bytes without control characters"),
            (
                ["a", "--buffer=best"],
                "--buffer: 'best' is none of newest, oldest, latest, fail, block"
            ),
            (
                ["a", "--buffer=newst:3"],
                "--buffer: 'newst' is none of newest, oldest, latest, fail, block; did you mean 'newest'?"
            ),
            (["a", "--buffer=latest:5"], "--buffer: latest takes no number"),
            (["a", "--buffer=fail:+5"], "--buffer: '+5' is not a whole number from 1"),
            (["a", "--buffer=newest:0"], "--buffer: '0' is not a whole number from 1"),
            (["a", "--output=xml"], "--output: 'xml' is none of pretty, json, payload, cloudevents"),
            (["a", "--output=json", "--format=%p"], "--output and --format exclude each other"),
            (["a", "--json", "--format=%p"], "--json and --format exclude each other"),
            (["a", "--output=cloudevents", "--format=%p"], "--output and --format exclude each other"),
            (["a", "--output=cloudevents", "--exec", "cat"], "--exec and --output exclude each other"),
            (["a", "--output=cloudevents", "--json"], "--json and --output exclude each other"),
            (["a", "--json", "--output=pretty"], "--json and --output exclude each other"),
            (["a", "-0", "--output=pretty"], "-0 and --output=pretty exclude each other"),
            (["a", "--format=%p", "--exec", "cat"], "--exec and --format exclude each other"),
            (["a", "--json", "--exec", "cat"], "--exec and --json exclude each other"),
            (["a", "-0", "--exec", "cat"], "--exec and --null exclude each other"),
            (["a", "--output=json", "--exec", "cat"], "--exec and --output exclude each other"),
            (["a", "--jobs=2"], "--jobs is for --exec"),
            (["a", "--jobs=1025", "--exec", "cat"], "--jobs: '1025' is not a whole number from 1 to 1024"),
        ])
    func mistakes(words: [String], sentence: String) {
        #expect(throws: Failure.usage("listen: \(sentence)")) { try listen(words) }
    }
}
