// Lines of bash, taken apart, and words put back into them.

import Testing

@testable import notifyctl

@Suite("An unfinished line of bash")
struct BashLineTests {
    private func line(_ text: String, _ tail: String = "") throws -> BashLine {
        try #require(BashLine(Word(text), replacing: Word(tail)))
    }

    static let lines: [(String, [String], String)] = [
        ("notifyctl ", [], ""), ("notifyctl po", [], "po"), ("notifyctl  post\t a", ["post"], "a"),
        ("notifyctl 'a b' \"c d\" e\\ f", ["a b", "c d"], "e f"), ("n a'b'\"c\"d ", ["abcd"], ""),
        ("n '' \"\" x", ["", ""], "x"), ("n 'it'\\''s", [], "it's"), ("n \"a\\\"b\\$c\\d", [], "a\"b$c\\d"),
        ("n 'open quo", [], "open quo"), ("n \"open quo", [], "open quo"), ("n 'a\\b' ", ["a\\b"], ""),
        ("n get x 2>/dev/null y", ["get", "x"], "y"), ("n get > file y", ["get"], "y"), ("n a>b c", ["a"], "c"),
        ("n a '>' b", ["a", ">"], "b"), ("n a \\> b", ["a", ">"], "b"), ("n a 2>&1 b", ["a"], "b"),
        ("n $(x) `y` $z", ["$(x)", "`y`"], "$z"), ("n é", [], "é"), ("n a\\", [], "a"),
    ]

    @Test("has its words without quotes", arguments: lines)
    func words(text: String, before: [String], current: String) throws {
        let line = try line(text)
        #expect(line.before == before.map { Word($0) })
        #expect(line.current == current)
        #expect(!line.isRedirection)
    }

    @Test(
        "tells the files of streams apart", arguments: ["n >", "n > ", "n >fi", "n a 2> fi", "n <", "n >>x", "n a>x"])
    func redirections(text: String) throws {
        #expect(try line(text).isRedirection)
    }

    static let quoted: [(line: String, tail: String, word: String, result: String?)] = [
        ("n sh", "sh", "shop.cart", "shop.cart"), ("n sh", "sh", "shop.>", "shop.\\>"), ("n ", "", "$a b", "\\$a\\ b"),
        ("n 'sh", "sh", "shop.>", "shop.>"), ("n \"sh", "sh", "shop.>", "shop.>"),
        ("n \"", "", "$a`\"\\", "\\$a\\`\\\"\\\\"),
        ("n '", "", "it's", nil), ("n a:", "", "a:b", "b"), ("n a:b", "b", "a:bc", "bc"),
        ("n --output=p", "p", "--output=pretty", "pretty"),
        ("n --output=p", "--output=p", "--output=pretty", "--output=pretty"),
        ("n 'a:b", "a:b", "a:bc", "a:bc"), ("n a\\:b", "b", "a:bc", "bc"), ("n x", "other", "xy", "xy"),
        ("n ", "", "é", "é"),
        ("n ", "", "a;b&c|d(e)f<g>h*i?j~k!l#m", "a\\;b\\&c\\|d\\(e\\)f\\<g\\>h\\*i\\?j\\~k\\!l\\#m"),
    ]

    @Test("gets a word written as the quotes want it, without what readline keeps", arguments: quoted)
    func quoting(line text: String, tail: String, word: String, result: String?) throws {
        #expect(try line(text, tail).quoted(word) == result)
    }

    @Test("that is no text is none")
    func bytes() {
        #expect(BashLine(Word(bytes: [0x6E, 0x20, 0xFF]), replacing: "") == nil)
    }
}
