// The lines of `top` for terminals of all sizes, and its keys.

import Testing

@testable import notifyctl

@Suite("The screen of top")
struct TopScreenTests {
    private func screen(style: Style = .plain) -> TopScreen {
        var screen = TopScreen(interval: .seconds(2), style: style)
        screen.program = { $0 == 1 ? ProgramName(command: "shop\u{1B}[2Jd", unit: "shop.service") : ProgramName() }
        var first = TopSample.at(
            1, [.named("shop.cart", 0), .named("b", 0)], [.of(1, "shop.>")], [.of(1), .of(2, name: "世界世界世界")])
        first.totals.version = "0.1.0"
        var second = TopSample.at(
            3, [.named("shop.cart", 3000, bytes: 9000, deliveries: 6000), .named("b", 1)],
            [.of(1, "shop.>", waiting: 12, lag: 1500, dropped: 4)],
            [.of(1, posts: 3000, bytesIn: 1 << 20), .of(2, name: "世界世界世界")])
        second.totals = first.totals
        second.totals.uptime = 61
        second.totals.posts = 3001
        screen.model.add(first)
        screen.model.add(second)
        return screen
    }

    private func text(_ screen: TopScreen, _ columns: Int = 80, _ rows: Int = 24) -> [String] {
        screen.lines(columns: columns, rows: rows)
    }

    @Test("fills 80 by 24: totals, the table, and the keys")
    func usual() {
        let lines = text(screen())
        #expect(lines.count == 24)
        #expect(lines[0] == "notifyd 0.1.0  up 1m 1s  clients 0  subscriptions 0  channels 0")
        #expect(lines[1].hasPrefix("posts 1.5k/s  deliveries 0/s  dropped 0/s"))
        #expect(lines[2] == "1 busiest channels, by POSTS/s  every 2.0s")
        #expect(lines[3].hasPrefix("CHANNEL   ") && lines[3].hasSuffix("POSTS/s  BYTES/s  DELIV/s   SUBS"))
        #expect(lines[4].hasPrefix("shop.cart ") && lines[4].hasSuffix("   1.5k     4.4K     3.0k      1"))
        #expect(lines[5].hasPrefix("b ") && lines[5].contains(" 0.5 "))
        #expect(lines[6...22].joined().isEmpty)
        #expect(lines[23].hasPrefix("q quit"))
    }

    @Test("has four tables, with the names of the programs and nothing that moves the cursor")
    func tables() {
        var screen = screen()
        #expect(screen.press(UInt8(ascii: "2")) == .redraw)
        let slow = text(screen)
        #expect(slow[2].hasPrefix("2 slowest subscriptions, by WAITING"))
        #expect(slow[4].hasPrefix("shop.> "))
        #expect(slow[4].contains("  1.5s") && slow[4].hasSuffix("shop\\u001b[2Jd"))
        #expect(screen.press(9) == .redraw)
        let loud = text(screen, 100)
        #expect(loud[2].hasPrefix("3 loudest posters, by POSTS/s"))
        #expect(loud[4].hasPrefix("shop\\u001b[2Jd ") && loud[4].hasSuffix("        shop.service"))
        #expect(loud[5].contains("(世界世界世界)"))
        #expect(screen.press(9) == .redraw)
        #expect(text(screen)[2].hasPrefix("4 loudest accounts, by POSTS/s"))
        #expect(text(screen)[3].hasPrefix("ACCOUNT "))
        #expect(screen.press(9) == .redraw)
        #expect(screen.table == .channels)
        #expect(screen.press(UInt8(ascii: "4")) == .redraw)
        #expect(screen.table == .accounts)
    }

    @Test(
        "has exactly as many lines as there is room for, none too wide, whatever the size",
        arguments: [1, 2, 3, 7, 8, 12, 13, 20, 40, 79, 80, 300], [1, 2, 3, 4, 5, 7, 8, 24, 60])
    func sizes(columns: Int, rows: Int) {
        var screen = screen()
        for _ in 1...3 {
            for hasTrouble in [false, true] {
                screen.trouble = hasTrouble ? "the daemon went away (世界\u{1B}[2J); waiting for it to come back" : nil
                let lines = text(screen, columns, rows)
                #expect(lines.count == rows)
                #expect(lines.allSatisfy { Cells.width($0) <= columns })
                #expect(lines.allSatisfy { !$0.unicodeScalars.contains { $0.value < 0x20 } })
            }
            _ = screen.press(9)
        }
        _ = screen.press(UInt8(ascii: "?"))
        #expect(text(screen, columns, rows).count <= rows)
        #expect(text(screen, columns, rows).allSatisfy { Cells.width($0) <= columns })
    }

    @Test("of no size at all is one cell", arguments: [(0, 0), (-1, 5), (5, -1)])
    func none(columns: Int, rows: Int) {
        #expect(text(screen(), columns, rows).allSatisfy { Cells.width($0) <= max(1, columns) })
    }

    @Test("s sorts by the next column, of each table by itself")
    func sort() {
        var screen = screen()
        for order in ["BYTES/s", "DELIV/s", "CHANNEL", "POSTS/s", "BYTES/s"] {
            _ = screen.press(UInt8(ascii: "s"))
            #expect(text(screen)[2].contains("by \(order)  "))
        }
        _ = screen.press(UInt8(ascii: "3"))
        #expect(text(screen)[2].contains("by POSTS/s  "))
        _ = screen.press(UInt8(ascii: "1"))
        #expect(text(screen)[2].contains("by BYTES/s  "))
    }

    @Test("+ and - change the interval within bounds")
    func interval() {
        var screen = screen()
        #expect(screen.press(UInt8(ascii: "+")) == .retime)
        #expect(screen.interval == .seconds(4))
        for _ in 1...9 { _ = screen.press(UInt8(ascii: "+")) }
        #expect(screen.interval == .seconds(60))
        #expect(text(screen)[2].hasSuffix("every 60s"))
        for _ in 1...20 { _ = screen.press(UInt8(ascii: "-")) }
        #expect(screen.interval == .milliseconds(100))
        #expect(text(screen)[2].hasSuffix("every 100ms"))
    }

    @Test("p pauses and says so; what comes to nothing draws nothing; q and the end of input quit")
    func keys() {
        var screen = screen()
        #expect(screen.press(UInt8(ascii: "p")) == .redraw)
        #expect(text(screen)[2].hasSuffix("  paused"))
        #expect(screen.press(UInt8(ascii: "p")) == .retime)
        #expect(screen.press(UInt8(ascii: "x")) == .nothing)
        #expect(screen.press(UInt8(ascii: "q")) == .quit)
        #expect(screen.press(4) == .quit)
    }

    @Test("? shows the keys, and any key goes back")
    func help() {
        var screen = screen()
        let before = text(screen)
        _ = screen.press(UInt8(ascii: "?"))
        #expect(text(screen)[0] == "notifyctl top")
        #expect(text(screen).allSatisfy { $0.count <= 80 })
        #expect(screen.press(UInt8(ascii: "x")) == .redraw)
        #expect(text(screen) == before)
        _ = screen.press(UInt8(ascii: "?"))
        #expect(screen.press(UInt8(ascii: "q")) == .quit)
    }

    @Test("paints only where it may")
    func colours() {
        let painted = text(screen(style: Style(isOn: true)))
        #expect(painted[0].hasPrefix("\u{1B}[1mnotifyd"))
        #expect(painted[0].hasSuffix("\u{1B}[0m"))
        #expect(text(screen()).allSatisfy { !$0.contains("\u{1B}") })
    }
}

@Suite("The keys of top")
struct TopKeysTests {
    @Test(
        "are letters; what begins with ESC is none",
        arguments: [
            ("q", "q"), ("\u{1B}[Bq", "q"), ("\u{1B}OPs", "s"), ("\u{1B}[1;5Ap", "p"), ("\u{1B}xs", "s"),
            ("a\u{1B}", "a"),
            ("\u{1B}\u{1B}[Aq", "q"), ("\u{1B}[3~?", "?"),
        ])
    func keys(typed: String, keys: String) {
        var reader = TopKeys()
        #expect(typed.utf8.compactMap { reader.key($0) } == Array(keys.utf8))
    }

    @Test(
        "are themselves after an ESC that stands alone, which is a key, too",
        arguments: [
            ("\u{1B}", 0x1B, "q", "q"), ("a\u{1B}", 0x1B, "[", "["), ("\u{1B}[", nil, "q", "q"),
            ("\u{1B}O", nil, "s", "s"), ("\u{1B}\u{1B}", 0x1B, "q", "q"), ("a", nil, "q", "q"),
            ("\u{1B}[A", nil, "q", "q"),
        ] as [(String, UInt8?, String, String)])
    func pauses(before: String, key: UInt8?, after: String, keys: String) {
        var reader = TopKeys()
        _ = before.utf8.compactMap { reader.key($0) }
        #expect(reader.pause() == key)
        #expect(!reader.isWaiting)
        #expect(after.utf8.compactMap { reader.key($0) } == Array(keys.utf8))
    }
}

@Suite("Text in cells")
struct CellsTests {
    @Test(
        "is as wide as a terminal shows it",
        arguments: [("abc", 3), ("世界", 4), ("e\u{301}", 1), ("🎈", 2), ("é", 1), ("", 0)])
    func width(text: String, cells: Int) {
        #expect(Cells.width(text) == cells)
    }

    @Test(
        "is cut between letters, and filled up",
        arguments: [
            ("abcdef", 4, "abc…"), ("世界", 4, "世界"), ("世界世", 4, "世… "), ("世界", 3, "世…"), ("世", 1, "…"),
            ("ab", 4, "ab  "), ("e\u{301}f", 2, "e\u{301}f"), ("abc", 0, ""), ("", 2, "  "),
        ])
    func fit(text: String, cells: Int, result: String) {
        #expect(Cells.fit(text, cells) == result)
        #expect(Cells.width(Cells.fit(text, cells)) == cells)
    }

    @Test("holds nothing that no terminal knows")
    func unknown() {
        #expect(Cells.text("a\u{10FFFF}b\u{1B}") == "a\\u{10ffff}b\\u001b")
    }
}
