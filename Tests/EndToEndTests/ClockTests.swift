// The host's clock is set while the daemon serves (trial T135): an hour ahead, an hour back, ten years ahead. What is
// measured as a span goes on as if nothing had happened; what was asked for at a time of day comes when it is that time.

import Foundation
import NotifyTestSupport
import Testing

@Suite(.ownThreads) struct ClockTests {
    @Test(
        "Nobody is disconnected and nothing expires because the clock was set", arguments: [3600, -3600, 315_360_000])
    func jump(seconds: Int) throws {
        let clock = try FakeClock()
        let daemon = try TestDaemon(environment: clock.environment)
        let idle = try (0..<20).map { _ in try daemon.client() }
        for client in idle { try client.subscribe("jump") }
        let poster = try daemon.client()
        try poster.post("kept", "1", #","retain":true,"ttl_ms":600000"#)
        try poster.post("past", "1", #","ttl_ms":600000"#)
        try poster.post("past", "2")
        try poster.post("keyed", "1", #","dedup":"k""#)
        // Neither of these comes while the test is running, but both would if the clock measured their times.
        try poster.post("jump", "9", #","delay_ms":600000"#)
        try poster.post("jump", "8", #","coalesce_ms":600000,"subject":"long""#)
        try poster.send(
            #"{"op":"post","id":1,"channel":"jump","payload":3,"delay_ms":200}"#,
            #"{"op":"post","id":2,"channel":"jump","payload":2,"coalesce_ms":100,"subject":"other"}"#)
        _ = try poster.lines(2)

        try clock.set(ahead: seconds)
        try poster.post("jump", "1")
        for client in idle {
            // The first comes first, unless this has taken longer than the others wait.
            let came = try client.lines(3).map(\.payload)
            #expect(came.filter { $0 != "1" } == ["2", "3"], "\(seconds)")
        }

        let reader = try daemon.client()
        try reader.send(#"{"op":"subscribe","channel":"past","replay":{"last":9}}"#)
        #expect(try reader.lines { $0.op == "live" }.dropLast().map(\.payload) == ["1", "2"])
        let retained: [String: Any]? = try reader.must(#"{"op":"get","channel":"kept"}"#)["message"]
        #expect(retained?["payload"] as? Int == 1)
        #expect(try poster.post("keyed", "1", #","dedup":"k""#)["duplicate"] == true)
        for client in idle { try client.must(#"{"op":"ping"}"#) }
    }

    @Test("A post for a time of day comes when the clock is set beyond it, and not when it is set back")
    func appointment() throws {
        let clock = try FakeClock()
        let daemon = try TestDaemon(environment: clock.environment)
        let client = try daemon.client()
        try client.subscribe("at")
        let time = Date(timeIntervalSinceNow: 1800).ISO8601Format()
        try client.post("at", "2", #","at":"\#(time)""#)
        try clock.set(ahead: -3600)
        try client.send(#"{"op":"post","channel":"at","payload":1}"#)
        #expect(try client.line().payload == "1")
        try clock.set(ahead: 3600)
        #expect(try client.line().payload == "2")
    }
}

/// The wall clock of one process, and nobody else's: a library that is loaded before glibc answers for it.
private struct FakeClock {
    /// The monotonic clock is the kernel's.
    private static let source = """
        #include <fcntl.h>
        #include <stdlib.h>
        #include <sys/syscall.h>
        #include <time.h>
        #include <unistd.h>

        int clock_gettime(clockid_t clock, struct timespec *time) {
            int result = syscall(SYS_clock_gettime, clock, time);
            if (result != 0 || clock != CLOCK_REALTIME) return result;
            char text[32] = {0};
            int file = open(getenv("TEST_CLOCK"), O_RDONLY | O_CLOEXEC);
            if (file < 0 || read(file, text, sizeof text - 1) < 0) abort();
            close(file);
            time->tv_sec += atol(text);
            return 0;
        }
        """

    private let directory: TemporaryDirectory
    private var file: String { directory.path("clock") }

    init() throws {
        directory = try TemporaryDirectory()
        try Data(Self.source.utf8).write(to: URL(filePath: directory.path("clock.c")))
        let compiler = try Child.start(
            ["/usr/bin/env", "clang", "-shared", "-fPIC", "-o", directory.path("clock.so"), directory.path("clock.c")],
            environment: ProcessInfo.processInfo.environment, output: "/dev/null", errors: "/dev/null")
        try #require(Child.status(of: compiler) == 0, "clang comes with the toolchain")
        try set(ahead: 0)
    }

    var environment: [String: String] { ["LD_PRELOAD": directory.path("clock.so"), "TEST_CLOCK": file] }

    /// In one piece: the process reads it with every look at the clock.
    func set(ahead seconds: Int) throws {
        try Data("\(seconds)\n".utf8).write(to: URL(filePath: file), options: .atomic)
    }
}
