// One configuration file: what may stand in it, and that whatever is not understood is refused with its place.

import Foundation
import NotifyBroker
import NotifyTestSupport
import Testing

@testable import NotifyDaemon

@Suite("A configuration file")
struct ConfigurationFileTests {
    private func read(_ text: String) throws -> Configuration {
        let directory = try TemporaryDirectory()
        let path = directory.path("test.json5")
        try Data(text.utf8).write(to: URL(filePath: path))
        var loader = ConfigurationLoader(file: path)
        loader.names = .empty
        return try loader.load()
    }

    private func fault(_ text: String) -> ConfigurationError? {
        do {
            _ = try read(text)
            return nil
        } catch {
            return error as? ConfigurationError
        }
    }

    @Test("may be empty of keys, and then all defaults are in force")
    func defaults() throws {
        #expect(try read("{}") == Configuration())
        let configuration = Configuration()
        #expect(configuration.socket == nil)
        #expect(configuration.mode == 0o600)
        #expect(configuration.logLevel == .info)
        #expect(configuration.limits == Limits())
    }

    @Test("has each key once")
    func repeatedKey() {
        let fault = fault("{ limits: { clients: 10 },\n limits: { clients: 10 } }")
        #expect(fault?.key == "limits")
        #expect(fault?.reason == "stands for the second time in line 2")
    }

    @Test(
        "is text in UTF-8, and else says in which line it is not",
        arguments: [
            ([0xFE], 1), ([0x0A, 0x0A, 0xC3, 0x28], 3), ([0xED, 0xA0, 0x80], 1), ([0xC3, 0x0A, 0xA9], 1),
            ([0xC0, 0x80], 1),
        ] as [([UInt8], Int)])
    func notText(bytes: [UInt8], line: Int) {
        for (before, after) in [("{a", ": 1}"), ("{\"", "\": 1}"), ("{mode: '", "'}"), ("// ", "\n{}"), ("", "{}")] {
            let source = ConfigurationSource(file: "x", names: .empty)
            let error = #expect(throws: ConfigurationError.self) {
                try ConfigurationFile.parse(Data([UInt8](before.utf8) + bytes + [UInt8](after.utf8)), source)
            }
            #expect(error?.reason == "line \(line) is not UTF-8")
        }
    }

    @Test("sets what it says, in JSON5")
    func values() throws {
        let configuration = try read(
            """
            // A comment
            {
                socket: '/run/x.sock', /* another */
                "mode": "0660",
                log_level: "debug",
                limits: { line_bytes: 8192, clients: 0x10, channels: +7, },
            }
            """)
        #expect(configuration.socket == "/run/x.sock")
        #expect(configuration.mode == 0o660)
        #expect(configuration.logLevel == .debug)
        #expect(configuration.limits.lineBytes == 8192)
        #expect(configuration.limits.clients == 16)
        #expect(configuration.limits.channels == 7)
        #expect(configuration.limits.clientsPerUID == Limits().clientsPerUID)
    }

    @Test(
        "is refused where it is not understood, with its key and what was expected",
        arguments: [
            (#"{"socket":8080}"#, "socket", "a string"), (#"{"socket":""}"#, "socket", "an absolute path"),
            (#"{"socket":null}"#, "socket", "a string"), (#"{"socket":"relative.sock"}"#, "socket", "an absolute path"),
            (#"{"socket":"@"}"#, "socket", "an absolute path"), (#"{"socket":["/x"]}"#, "socket", "a string"),
            (#"{"sockets":"/run/x.sock"}"#, "sockets", "unknown key; did you mean 'socket'? There are socket, mode,"),
            (#"{"channels":[{"pattern":"a"},{"patern":"b"}]}"#, "channels[1].patern", "did you mean 'pattern'?"),
            (#"{"socket":"/run/x.sock","mode":438}"#, "mode", "a string"),
            (#"{"mode":"rw-rw-rw-"}"#, "mode", "octal"), (#"{"mode":"99999"}"#, "mode", "octal"),
            (#"{"mode":"0888"}"#, "mode", "octal"), (#"{"mode":"1777"}"#, "mode", "octal"),
            (#"{"mode":"+600"}"#, "mode", "octal"),
            (#"{"mode":"60"}"#, "mode", "octal"), (#"{"mode":"0o600"}"#, "mode", "octal"),
            (#"{"mode":""}"#, "mode", "octal"),
            (#"{"log_level":"loud"}"#, "log_level", "one of error, warning, notice, info, debug"),
            (#"{"log_level":7}"#, "log_level", "a string"), (#"{"loglevel":"info"}"#, "loglevel", "unknown key"),
            (#"{"spin_us":1001}"#, "spin_us", "found 1001, expected an integer from 0 to 1000"),
            (#"{"spin_us":-1}"#, "spin_us", "found -1"), (#"{"spin_us":0.5}"#, "spin_us", "found 0.5"),
            (#"{"spin_us":"no"}"#, "spin_us", "an integer"),
            (#"{"acl":[]}"#, "acl", "unknown key"), (#"{"history":{"limit":1e99}}"#, "history", "unknown key"),
            (#"{"quota":{"max_connections":"lots"}}"#, "quota", "unknown key"),
            (#"{"limits":[]}"#, "limits", "an object"), (#"{"limits":7}"#, "limits", "an object"),
            (#"{"limits":null}"#, "limits", "an object"),
            (
                #"{"limits":{"max_conections":5}}"#, "limits.max_conections",
                "unknown key; there are line_bytes, clients"
            ),
            (#"{"limits":{"clients":"lots"}}"#, "limits.clients", "an integer"),
            (#"{"limits":{"clients":-5}}"#, "limits.clients", "found -5, expected an integer from 1"),
            (#"{"limits":{"clients":0}}"#, "limits.clients", "found 0"),
            (#"{"limits":{"clients":true}}"#, "limits.clients", "an integer"),
            (#"{"limits":{"clients":null}}"#, "limits.clients", "an integer"),
        ])
    func refused(text: String, key: String, words: String) {
        let fault = fault(text)
        #expect(fault?.key == key)
        #expect(fault?.reason.contains(words) == true, "\(fault?.reason ?? "accepted")")
        #expect(fault?.file.hasSuffix("/test.json5") == true)
        #expect(fault.map { "\($0)" }?.contains("test.json5: \(key)") == true)
    }

    @Test(
        "that is no JSON5 says where it ceases to be",
        arguments: [
            ("{\n  mode: '0600'\n  spin_us: 5\n}", "line 3 does not"), ("{ mode '0600' }", "line 1 does not"),
            ("{\n\n  limits: {\n    clients: 5,,\n  },\n}\n", "line 4 does not"),
            ("{\n access: [\n  { allow: 'all' },\n }\n}\n", "line 4 does not"),
            ("{\n mode: \"0600,\n log_level: \"info\",\n}\n", "line 2 does not"),
            ("{ /* one\n two */ mode:\n\n '06\\\n00',\n spin_us: nul }", "line 6 does not"),
            ("{\n} // {\n{}", "line 3 does not"),
            ("// {\n{\n limits: {\n  clients: 5,\n}\n", "it ends before the '{' of line 2 is closed"),
            ("{\n access: [ { allow: 'all' },\n", "it ends before the '[' of line 2 is closed"),
            ("{ mode: '0600", "it ends before the '{' of line 1 is closed"),
            ("", "is empty: a file that sets nothing is {}"), (" \n\t\n", "is empty"), ("// nothing", "is empty"),
            ("/* nothing */\n", "is empty"), ("/* nothing", "it ends too early"),
        ])
    func place(text: String, words: String) {
        let fault = fault(text)
        #expect(fault?.key == "" && fault?.reason.contains(words) == true, "\(fault?.reason ?? "accepted")")
    }

    @Test(
        "of which more than one thing is wrong tells the same one each time: unknown keys first, by name",
        arguments: [
            ("{ mode: 1, spin_us: -1, log_level: 2, limits: 3, channels: 4, access: 5, quotas: 6 }", "mode"),
            ("{ quotas: 6, access: 5, channels: 4, limits: 3, log_level: 2 }", "log_level"),
            ("{ mode: 1, z: 1, y: 1, b: 1, c: 1, d: 1, e: 1 }", "b"),
            ("{ limits: { channels: 0, clients: 0, burst_s: 0, queue_bytes: 0, block_ms: -1 } }", "limits.clients"),
            ("{ limits: { clients: 0, z: 1, y: 1, x: 1, w: 1, v: 1 } }", "limits.v"),
            (
                "{ channels: [ { pattern: 'a', history: { age_s: 0, bytes: 0, messages: -1 } } ] }",
                "channels[0].history.messages"
            ),
            ("{ channels: [ { patern: 'a', z: 1, y: 1, x: 1, a: 1 } ] }", "channels[0].a"),
            ("{ access: [ { allw: 'post', z: 1, y: 1, x: 1, a: 1 } ] }", "access[0].a"),
            ("{ quotas: [ { uid: 1, z: 1, y: 1, x: 1, a: 1 } ] }", "quotas[0].a"),
        ])
    func sameFault(text: String, key: String) {
        #expect(fault(text)?.key == key)
    }

    @Test(
        "is refused when it is no JSON5 object, or a number is none",
        arguments: [
            "", " ", "[]", "7", "null", #""text""#, "{", #"{"mode":"0600""#, #"{"mode" "0600"}"#, "{} {}",
            "{mode: 0600 0700}",
            #"{"limits":{"clients":1.5}}"#, #"{"limits":{"clients":1e99}}"#,
            #"{"limits":{"clients":99999999999999999999}}"#,
            #"{"limits":{"clients":NaN}}"#, #"{"limits":{"clients":Infinity}}"#,
        ])
    func malformed(text: String) {
        let fault = fault(text)
        #expect(fault != nil)
        #expect(fault?.reason.isEmpty == false)
    }

    @Test("lets the daemon ask without sleeping for up to a thousand microseconds", arguments: [0, 1, 1000])
    func spin(microseconds: Int) throws {
        #expect(try read("{ spin_us: \(microseconds) }").spinMicroseconds == microseconds)
    }

    @Test("has every limit within its range and not one beyond", arguments: Configuration.limitKeys.map(\.name))
    func ranges(name: String) throws {
        let key = try #require(Configuration.limitKeys.first { $0.name == name })
        for value in [key.range.lowerBound, key.range.upperBound] {
            #expect(try read(#"{"limits":{"\#(name)":\#(value)}}"#).limits[keyPath: key.path] == value)
        }
        for value in [key.range.lowerBound - 1, key.range.upperBound + 1] {
            #expect(fault(#"{"limits":{"\#(name)":\#(value)}}"#)?.key == "limits.\(name)")
        }
        #expect(key.range.contains(Limits()[keyPath: key.path]), "the default is within the range")
    }
}
