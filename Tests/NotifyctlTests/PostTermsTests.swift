// The options of `post` that say when and under which conditions, and its receipts.

import Foundation
import Notify
import Testing

@testable import notifyctl

@Suite("The terms of post")
struct PostTermsTests {
    private func options(_ words: [String]) throws -> NotifyCenter.PostOptions {
        guard case .run(let command, _) = try Request((["post", "a"] + words).map { Word($0) }),
            let post = command as? Post
        else { throw Failure(.software, "nothing to run") }
        return post.options
    }

    @Test("every option has its effect")
    func all() throws {
        #expect(try options([]) == NotifyCenter.PostOptions())
        #expect(
            try options(["--ttl=5m", "--dedup=k", "--if-seq=0", "--require-subscribers", "--retain"])
                == .init(
                    retain: true, timeToLive: .seconds(300), deduplicationKey: "k", ifSequence: 0,
                    requireSubscribers: true))
        #expect(try options(["--delay", "500ms"]) == .delayed(by: .milliseconds(500)))
        #expect(
            try options(["--at=2026-11-29T14:00:00+02:00"]) == .at(Date(timeIntervalSince1970: 1_795_953_600)))
        #expect(try options(["--coalesce=1.5"]) == .init(coalesceWithin: .milliseconds(1500)))
        for (text, priority) in [("low", .low), ("normal", .normal), ("high", .high)]
            as [(String, NotifyCenter.Priority)]
        {
            #expect(try options(["--priority=\(text)"]) == .init(priority: priority))
        }
    }

    @Test(
        "a mistake is a usage error with one sentence",
        arguments: [
            (["--delay=1s", "--at=2026-11-29T12:00:00Z"], "--delay and --at exclude each other"),
            (["--at=2026-11-29T12:00:00Z", "--coalesce=1s"], "--at and --coalesce exclude each other"),
            (["--if-seq=1", "--delay=1s"], "--if-seq and --delay exclude each other"),
            (["--require-subscribers", "--coalesce=1s"], "--require-subscribers and --coalesce exclude each other"),
            (["--ttl=0"], "--ttl: must be longer than nothing"),
            (["--at=tomorrow"], "--at: 'tomorrow' is no time: write 2026-11-29T12:00:00Z"),
            (
                ["--at=2026-11-30 23:00:00"],
                "--at: '2026-11-30 23:00:00' has no zone: write 2026-11-30T23:00:00Z, or +01:00 instead of Z"
            ),
            (
                ["--at=2026-11-30T23:00:00"],
                "--at: '2026-11-30T23:00:00' has no zone: write 2026-11-30T23:00:00Z, or +01:00 instead of Z"
            ),
            (["--priority=urgent"], "--priority: 'urgent' is none of low, normal, high"),
            (["--dedup="], "--dedup: KEY has 1 to 128 bytes"),
            (["--if-seq=-1"], "--if-seq: '-1' is not a whole number from 0"),
            (["--lines", "--dedup=k"], "--dedup is for one message, not for --lines"),
            (["--lines", "--if-seq=3"], "--if-seq is for one message, not for --lines"),
        ])
    func mistakes(words: [String], sentence: String) {
        #expect(throws: Failure.usage("post: \(sentence)")) { try options(words) }
    }

    @Test(
        "receipts say what became of the post",
        arguments: [
            (
                .init(sequence: 1, position: 2, matched: 3, dropped: 0), "seq 1, pos 2, matched 3, dropped 0",
                #"{"seq":1,"pos":2,"matched":3,"dropped":0}"#
            ),
            (
                .init(sequence: 1, position: 2, matched: 3, dropped: 0, isDuplicate: true),
                "seq 1, pos 2, matched 3, dropped 0, duplicate",
                #"{"seq":1,"pos":2,"matched":3,"dropped":0,"duplicate":true}"#
            ),
            (
                .init(sequence: 0, position: 0, matched: 0, dropped: 0, schedule: 7), "scheduled 7",
                #"{"schedule":7}"#
            ),
            (
                .init(sequence: 0, position: 0, matched: 0, dropped: 0, isHeld: true, hasReplaced: true),
                "held, replaced an older one", #"{"held":true,"replaced":true}"#
            ),
        ] as [(NotifyCenter.PostReceipt, String, String)])
    func receipts(receipt: NotifyCenter.PostReceipt, plain: String, json: String) {
        #expect(ReceiptText.plain(receipt) == plain)
        #expect(ReceiptText.json(receipt) == json)
    }

    @Test("cancel takes the number of a scheduled post", arguments: ["0", "+7", "x", "9223372036854775808"])
    func cancel(text: String) throws {
        guard case .run(let command, _) = try Request(["cancel", "7"]) else { return }
        #expect((command as? Cancel)?.schedule == 7)
        #expect(throws: Failure.usage("cancel: '\(text)' is not the number of a scheduled post")) {
            try Request([Word("cancel"), Word(text)])
        }
    }
}
