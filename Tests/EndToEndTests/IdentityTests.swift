// Who somebody is comes from the kernel, never from what they say (trial T097).

import Foundation
import NotifyTestSupport
import Testing

@Suite(.ownThreads) struct IdentityTests {
    static let claims = [
        #""uid":0"#, #""pid":1"#, #""sender":"root""#, #""from":{"uid":0}"#, #""cred":{"uid":0}"#, #""client":1"#,
        #""seq":7"#, #""pos":7"#,
        #""time":"2000-01-01T00:00:00Z""#,
    ]

    @Test func `a claim in a post is refused and not forwarded`() throws {
        let daemon = try TestDaemon()
        let (listener, poster) = (try daemon.client(), try daemon.client())
        try listener.subscribe(">")
        for claim in Self.claims {
            #expect(try poster.ask("{\"op\":\"post\",\"channel\":\"c\",\(claim)}").code == "unknown_field", "\(claim)")
            let batch = "{\"op\":\"batch\",\"posts\":[{\"channel\":\"c\",\(claim)}]}"
            #expect(try poster.ask(batch).code == "unknown_field", "\(claim)")
        }
        // In the payload they may say what they like.
        try poster.post("c", "{\"from\":{\"uid\":0,\"pid\":1}}")
        let message = try listener.line()
        #expect(message.integer("seq") == 1 && message.integer("from", "pid") == Int(getpid()))
    }

    @Test func `each of two processes is itself`() async throws {
        let daemon = try TestDaemon()
        let listener = try daemon.client()
        try listener.subscribe("who")
        let outcome = try await Command.run(
            "/bin/sh",
            ["-c", "echo $$; exec \"$0\" post --socket \"$1\" who 1", Checkout.program("notifyctl"), daemon.socketPath])
        try daemon.client().post("who", "2")
        let pid = try #require(Int(outcome.output.split(separator: "\n")[0]))
        #expect(try listener.lines(2).map { $0.integer("from", "pid") } == [pid, Int(getpid())])
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become somebody else"))
    func `another user is told apart, and kept out unless the mode says otherwise`() async throws {
        let daemon = try TestDaemon(configuration: "{ mode: '0666', access: [{ allow: 'post', uid: 65534 }] }")
        try daemon.shell("chmod 755 \(daemon.directory.url.path)")
        let listener = try daemon.client()
        try listener.subscribe("who", ",\"from_uid\":65534,\"sub\":1")
        try listener.subscribe("who", ",\"from_uid\":0,\"sub\":2")
        let script = """
            import os, socket, sys
            os.setgroups([]); os.setgid(65534); os.setuid(65534)
            s = socket.socket(socket.AF_UNIX)
            s.connect(sys.argv[1])
            s.sendall(b'{"op":"post","channel":"who","payload":{"uid":0},"id":1}\\n')
            print(s.recv(4096).decode())
            """
        let outcome = try await Command.run("python3", ["-c", script, daemon.socketPath])
        #expect(outcome.status == 0 && outcome.output.contains("\"matched\":1"), "\(outcome.summary)")
        let message = try listener.line()
        #expect(message.integer("sub") == 1 && message.integer("from", "uid") == 65534)

        let closed = try TestDaemon()
        try closed.shell("chmod 755 \(closed.directory.url.path)")
        let refused = try await Command.run("python3", ["-c", script, closed.socketPath])
        #expect(refused.status == 1 && refused.errors.contains("PermissionError"), "\(refused.summary)")
    }
}
