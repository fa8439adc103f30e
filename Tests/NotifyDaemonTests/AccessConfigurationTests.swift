// Access rules as a file says them: read, refused, laid over each other, printed and read again.

import Foundation
import NotifyBroker
import NotifyTestSupport
import NotifyWire
import Testing

@testable import NotifyDaemon

@Suite("Access rules in the configuration")
struct AccessConfigurationTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private static let names = NameService(
        user: { ["root": .found(0), "alice": .found(1000), "lost": .failed(EIO)][$0] ?? .unknown },
        group: { ["staff": .found(50), "lost": .failed(EIO)][$0] ?? .unknown })

    private func read(_ files: [(String, String)]) throws -> Configuration {
        for (name, text) in files {
            let file = directory.url.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        var loader = ConfigurationLoader()
        loader.directories = [directory.path("etc"), directory.path("lib")]
        loader.names = Self.names
        return try loader.load()
    }

    private func read(_ text: String) throws -> Configuration { try read([("etc/notifyd.json5", text)]) }

    @Test("are read with all that they may say")
    func complete() throws {
        let rules = try read(
            """
            { access: [
                { allow: ["post", "listen"], channels: "shop.>", user: "alice" },
                { deny: "post", channels: ["shop.admin.>", "$notifyd.*"], group: "staff", unit: "shop.service" },
                { allow: "all", uid: 7, gid: 4294967294 },
                { deny: ["all"] },
            ] }
            """
        ).accessRules
        let file = directory.path("etc/notifyd.json5")
        #expect(
            rules == [
                AccessRule(
                    .allow, RightSet([.post, .listen]), on: .patterns(["shop.>"]), to: Selector(uid: 1000),
                    text: #"{ allow: ["post", "listen"], channels: "shop.>", user: "alice" }"#,
                    origin: "\(file), rule 1"),
                AccessRule(
                    .deny, RightSet(.post), on: .patterns(["shop.admin.>", "$notifyd.*"]),
                    to: Selector(gid: 50, unit: "shop.service"),
                    text:
                        #"{ deny: "post", channels: ["shop.admin.>", "$notifyd.*"], group: "staff", unit: "shop.service" }"#,
                    origin: "\(file), rule 2"),
                AccessRule(
                    .allow, .all, to: Selector(uid: 7, gid: 4_294_967_294),
                    text: #"{ allow: "all", uid: 7, gid: 4294967294 }"#, origin: "\(file), rule 3"),
                AccessRule(.deny, .all, text: #"{ deny: "all" }"#, origin: "\(file), rule 4"),
            ])
    }

    @Test(
        "are refused where they are not understood",
        arguments: [
            ("{}", "access[0].allow", "neither 'allow' nor 'deny'"),
            (#"{allow:"post",deny:"listen"}"#, "access[0].deny", "expected one of them"),
            (#"{allow:"write"}"#, "access[0].allow", #"found "write", expected "post", "listen", "observe""#),
            (#"{allow:["post","Listen"]}"#, "access[0].allow", #"found "Listen""#),
            ("{allow:[]}", "access[0].allow", "a string, or an array"), ("{deny:true}", "access[0].deny", "a string"),
            ("{deny:null}", "access[0].deny", "a string"), ("{deny:['post',7]}", "access[0].deny", "a string"),
            (#"{allow:"post",channels:"a..b"}"#, "access[0].channels", "empty token at byte 2"),
            (#"{allow:"post",channels:["a","b.>.c"]}"#, "access[0].channels", "'>' must be the last token"),
            (#"{allow:"post",channels:[]}"#, "access[0].channels", "an array of strings"),
            (#"{allow:"post",channels:""}"#, "access[0].channels", "empty name"),
            (#"{allow:"post",user:"bob"}"#, "access[0].user", #"found "bob", expected a user"#),
            (#"{allow:"post",user:""}"#, "access[0].user", "expected a user"),
            (#"{allow:"post",user:"lost"}"#, "access[0].user", "cannot say"),
            (#"{allow:"post",user:1000}"#, "access[0].user", "a string"),
            (#"{allow:"post",user:"alice",uid:1000}"#, "access[0].uid", "expected one of them"),
            (#"{allow:"post",uid:-1}"#, "access[0].uid", "expected an integer from 0"),
            (#"{allow:"post",uid:4294967295}"#, "access[0].uid", "to 4294967294"),
            (#"{allow:"post",group:"staf"}"#, "access[0].group", "expected a group"),
            (#"{allow:"post",group:"lost"}"#, "access[0].group", "cannot say"),
            (#"{allow:"post",group:"staff",gid:50}"#, "access[0].gid", "expected one of them"),
            (#"{allow:"post",unit:"shop"}"#, "access[0].unit", "the whole name of a unit"),
            (#"{allow:"post",unit:".service"}"#, "access[0].unit", "the whole name of a unit"),
            (#"{allow:"post",unit:"shop*.service"}"#, "access[0].unit", "the whole name of a unit"),
            (
                #"{allow:"post",users:"alice"}"#, "access[0].users",
                "unknown key; did you mean 'user'? There are allow, deny, channels, user"
            ),
            (#"{allow:"post"},{alow:"post"}"#, "access[1].alow", "unknown key"), ("[]", "access[0]", "an object"),
        ])
    func refused(rules: String, key: String, words: String) throws {
        let fault = #expect(throws: ConfigurationError.self) { try read("{access:[\(rules)]}") }
        #expect(fault?.key == key)
        #expect(fault?.reason.contains(words) == true, "\(fault?.reason ?? "")")
        #expect(fault?.file == directory.path("etc/notifyd.json5"))
    }

    @Test(
        "that are refused are counted from 1, too, as they are wherever else they are told of",
        arguments: [
            ("access: [ { allow: 'post' }, { allow: 'pots' } ]", "access[1].allow (rule 2): found"),
            ("access: [ { allow: 'post', allow: 'post' } ]", "access[0].allow (rule 1): stands"),
            ("channels: [ 7 ]", "channels[0] (rule 1): "), ("access: 7", "access: "),
            ("'acces[0]': 7", "acces[0]: unknown key"),
        ])
    func counted(text: String, words: String) {
        let fault = #expect(throws: ConfigurationError.self) { try read("{ \(text) }") }
        #expect(fault?.description.contains("notifyd.json5: \(words)") == true, "\(String(describing: fault))")
    }

    @Test("of a file that is read later stand before those of the others, as those for channels do")
    func order() throws {
        let configuration = try read([
            (
                "etc/notifyd.json5",
                """
                {access:[{allow:"post",uid:1},{allow:"post",uid:2}],channels:[{pattern:"a"},{pattern:"b"}],
                quotas:[{uid:1,limits:{clients:1}}]}
                """
            ),
            (
                "lib/notifyd.conf.d/99-shop.json5",
                #"{access:[{allow:"post",uid:3}],channels:[{pattern:"c"}],quotas:[{uid:3,limits:{clients:3}}]}"#
            ),
            ("etc/notifyd.conf.d/20-x.json5", #"{access:[{allow:"post",uid:4},{allow:"post",uid:5}],channels:[]}"#),
        ])
        // Those of packages stand behind all others.
        #expect(configuration.accessRules.map(\.who.uid) == [4, 5, 1, 2, 3])
        #expect(configuration.channelRules.map(\.pattern) == ["a", "b", "c"])
        #expect(configuration.quotas.map(\.who.uid) == [1, 3])
        #expect(configuration.accessRules[4].origin == directory.path("lib/notifyd.conf.d/99-shop.json5") + ", rule 1")
    }

    @Test("are as many as allowed, in one file and in all, and not one more", arguments: ["access", "channels"])
    func limits(key: String) throws {
        let limit = key == "access" ? Configuration.accessRuleLimit : Configuration.channelRuleLimit
        let rule = key == "access" ? #"{allow:"post"},"# : #"{pattern:"a"},"#
        let rules = { (count: Int) in "{\(key):[\(String(repeating: rule, count: count))]}" }
        let configuration = try read(rules(limit))
        #expect((key == "access" ? configuration.accessRules.count : configuration.channelRules.count) == limit)
        #expect(#expect(throws: ConfigurationError.self) { try read(rules(limit + 1)) }?.key == key)
        _ = try read([("etc/notifyd.json5", rules(limit - 1)), ("etc/notifyd.conf.d/a.json5", rules(1))])
        let fault = #expect(throws: ConfigurationError.self) {
            try read([("etc/notifyd.json5", rules(limit)), ("etc/notifyd.conf.d/a.json5", rules(1))])
        }
        #expect(fault?.key == key && fault?.file == directory.path("etc/notifyd.conf.d/a.json5"))
    }

    @Test("printed and read again decide the same")
    func printed() throws {
        let configuration = try read(
            #"{access:[{allow:["post","block"],channels:["a.>","b"],user:"alice"},{deny:"all",unit:"x\\x2dy.service"}]}"#
        )
        let again = try read(configuration.description)
        #expect(again.accessRules.map(\.text) == configuration.accessRules.map(\.text))
        #expect(again.accessRules.map(\.who) == configuration.accessRules.map(\.who))
        #expect(again.accessRules.map(\.scope) == configuration.accessRules.map(\.scope))
        #expect(configuration.description.contains("user: \"alice\" },  // uid 1000, \(directory.path("etc"))"))
        #expect(configuration.description.contains(#"// { allow: "all", uid: 0 }"#))
    }

    @Test("that come and go are told one by one")
    func changes() throws {
        let old = try read(#"{access:[{allow:"post",user:"alice"},{deny:"post"}]}"#)
        let new = try read(#"{access:[{allow:"listen",uid:7},{allow:"post",user:"alice"}]}"#)
        #expect(
            old.changes(to: new) == [
                #"access: removed { deny: "post" }"#,
                #"access: added { allow: "listen", uid: 7 }: uid 7 (\#(directory.path("etc/notifyd.json5")), rule 1)"#,
            ])
        #expect(new.changes(to: new).isEmpty)
        // The same text, and another user.
        var renumbered = new
        renumbered.accessRules[1].who.uid = 1001
        #expect(new.changes(to: renumbered).count == 2)
    }

    @Test("know the users and groups of this system")
    func system() throws {
        #expect(NameService.system.user("root") == .found(0))
        #expect(NameService.system.group("root") == .found(0))
        #expect(NameService.system.user("no such user") == .unknown)
        #expect(NameService.system.group("no such group") == .unknown)
        #expect(NameService.identity(of: 0).gid == 0)
        #expect(NameService.identity(of: 4_294_967_294).groups == [])
    }
}
