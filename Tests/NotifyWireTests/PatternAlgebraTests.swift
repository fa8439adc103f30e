// Patterns against patterns: all short ones over two tokens, judged by the channels that they match.

import NotifyWire
import Testing

@Suite("Two patterns")
struct PatternAlgebraTests {
    private static let channels = names(of: ["a", "b"], upTo: 4) + names(of: ["a", "b"], upTo: 3).map { "$" + $0 }

    private static let patterns: [String] = {
        let starts = names(of: ["a", "b", "*"], upTo: 3)
        return starts + [">"] + starts.map { $0 + ".>" } + ["$a", "$a.*", "$a.>", "$b.a"]
    }()

    private static func names(of tokens: [String], upTo count: Int) -> [String] {
        var all = tokens
        var last = tokens
        for _ in 1..<count {
            last = last.flatMap { name in tokens.map { "\(name).\($0)" } }
            all += last
        }
        return all
    }

    private static func with<R>(_ text: String, _ body: (ByteSlice) -> R) -> R {
        Array(text.utf8).withUnsafeBufferPointer { body(ByteSlice($0.baseAddress!, $0.count)) }
    }

    private static func matches(_ pattern: String, _ channel: String) -> Bool {
        with(pattern) { pattern in with(channel) { PatternName.covers(pattern, $0) } }
    }

    @Test("have in common what matches both")
    func intersection() {
        for one in Self.patterns {
            for other in Self.patterns {
                let common = PatternName.intersection(Array(one.utf8), Array(other.utf8))
                for channel in Self.channels {
                    let expected = Self.matches(one, channel) && Self.matches(other, channel)
                    let found = common.map { Self.matches(String(decoding: $0, as: UTF8.self), channel) } ?? false
                    #expect(found == expected, "\(channel) in \(one) and \(other)")
                }
            }
        }
    }

    @Test("overlap when some channel matches both")
    func overlap() {
        // Four tokens are enough for two of three and their ends; a channel is a pattern, too.
        for one in Self.patterns + Self.channels {
            for other in Self.patterns {
                let expected = Self.channels.contains { Self.matches(one, $0) && Self.matches(other, $0) }
                let found = Self.with(one) { one in Self.with(other) { PatternName.overlaps(one, $0) } }
                let turned = Self.with(one) { one in Self.with(other) { PatternName.overlaps($0, one) } }
                #expect(found == expected && turned == expected, "\(one) and \(other)")
            }
        }
    }

    @Test(
        "overlap by whole tokens",
        arguments: [
            ("q.cart", "q.*", true), ("q.cart", "q.car", false), ("q.car", "q.cart", false), ("q.cart.x", "q.*", false),
            ("q.>", "q", false), ("*.cart", "q.*", true), ("*.cart", "q.shop", false), ("qq.*", "q.*", false),
            (">", "$notifyd.clients", false), ("$notifyd.>", "$notifyd.*", true), ("*.a", "$b.a", false),
        ])
    func tokens(one: String, other: String, expected: Bool) {
        #expect(Self.with(one) { one in Self.with(other) { PatternName.overlaps(one, $0) } } == expected)
        #expect(Self.with(one) { one in Self.with(other) { PatternName.overlaps($0, one) } } == expected)
    }

    @Test("contain one another when no channel is in the one alone")
    func covering() {
        for one in Self.patterns {
            for other in Self.patterns where !other.hasSuffix(">") || one.hasSuffix(">") {
                // Four tokens tell all patterns of three apart, but for their ends.
                let isInside = Self.channels.allSatisfy { !Self.matches(other, $0) || Self.matches(one, $0) }
                let covers = Self.with(one) { one in Self.with(other) { PatternName.covers(one, $0) } }
                #expect(covers == isInside, "\(other) inside \(one)")
            }
        }
        #expect(!Self.matches("a.*", "a.>"))
    }
}

@Suite("Rights")
struct RightTests {
    @Test("have the names that they have everywhere")
    func names() {
        #expect(Right.allCases.map { "\($0.name)" } == ["post", "listen", "observe", "block", "admin"])
        for right in Right.allCases { #expect(Right("\(right.name)") == right) }
        #expect(Right("Post") == nil && Right("") == nil)
    }

    @Test("make sets")
    func sets() {
        let set = RightSet([.post, .block])
        #expect(set.contains(.post) && set.contains(.block) && !set.contains(.listen))
        #expect(set.rights == [.post, .block])
        #expect(RightSet.all.rights == Right.allCases)
    }
}
