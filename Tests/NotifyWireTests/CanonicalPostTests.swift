// The fast path for posts in the usual order must never say anything that the general scanner would not.

import NotifyTestSupport
import NotifyWire
import Testing

@Suite("The fast path for posts")
struct CanonicalPostTests {
    static let posts = [
        #"{"op":"post","channel":"shop.cart","type":"CartDidChange","subject":"cart-42","payload":{"n":1,"s":"x"}}"#,
        #"{"op":"post","id":7,"channel":"a","payload":[1,2.5e3,true,null,"é\u00e9"]}"#,
        #"{"op":"post","id":0,"channel":"a.b","subject":"s"}"#,
        #"{"op":"post","id":123456789012345,"channel":"numbers","type":"T","payload":"text with \"quotes\""}"#,
        #"{"op":"post","channel":"a.b.c.d.e.f.g.h","payload":{"deep":[[[[{}]]]],"empty":{}}}"#,
        #"{"op":"post","channel":"no-payload-at-all"}"#,
    ]

    @Test("takes posts in the usual order", arguments: posts)
    func takesUsualPosts(post: String) {
        var parser = RequestParser()
        Line.with(post) { start, end in
            let isTaken = parser.parseCanonicalPost(start, end)
            #expect(isTaken)
        }
    }

    @Test(
        "leaves everything else to the general scanner",
        arguments: [
            #"{"op":"post","channel":"shop.cart","payload":{},"retain":true}"#,
            #"{"op":"post","id":"text","channel":"shop.cart","payload":{}}"#,
            #"{"op":"post","id":01,"channel":"shop.cart","payload":{}}"#,
            #"{"op":"post","id":1234567890123456,"channel":"shop.cart"}"#,
            #"{"op":"post","channel":"shop\u002ecart","payload":{}}"#,
            #"{ "op":"post","channel":"shop.cart","payload":{}}"#,
            #"{"op":"post","channel":"shop.cart","payload":{}} "#,
            #"{"op":"post","channel":"shop.cart","channel":"b","payload":{}}"#,
            #"{"op":"post","channel":"shop.cart","payload":{},"payload":{}}"#,
            #"{"op":"post","channel":"shop.cart","type":"","payload":{}}"#,
            #"{"op":"ping","id":1,"this":"line is long enough"}"#,
            #"{"op":"post","channel":"x"}"#,
        ])
    func leavesTheRest(line: String) {
        var parser = RequestParser()
        Line.with(line) { start, end in
            let isTaken = parser.parseCanonicalPost(start, end)
            #expect(!isTaken)
        }
    }

    @Test("agrees with the general scanner on mutated posts", arguments: 1...8)
    func agreesOnMutations(seed: UInt64) {
        var random = SplitMix(state: seed)
        var fast = RequestParser()
        var general = RequestParser()
        for round in 0..<2500 {
            let line = Self.mutated(Self.posts[round % Self.posts.count], &random)
            Line.with(line) { start, end in
                let verdict = fast.parse(start, end)
                let other = general.parseAnything(start, end)
                let text = String(decoding: line, as: UTF8.self)
                #expect(verdict == other, "\(text)")
                switch verdict {
                case .request: #expect(Facts(fast.request) == Facts(general.request), "\(text)")
                case .refused: #expect(fast.refusal == general.refusal, "\(text)")
                case .blank: break
                }
            }
        }
    }

    /// One to three small changes: a byte replaced, dropped, doubled, or a piece moved elsewhere.
    static func mutated(_ text: String, _ random: inout SplitMix) -> [UInt8] {
        var line = Array(text.utf8)
        let pieces = Array(#"{}[]":,\u0 -1e.tfn"#.utf8) + [0x00, 0x0D, 0x1F, 0x7F, 0x80, 0xC2, 0xE2, 0xED, 0xF4, 0xFF]
        for _ in 0..<Int.random(in: 0...3, using: &random) where line.count > 4 {
            let at = Int.random(in: 0..<line.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: line[at] = pieces[Int.random(in: 0..<pieces.count, using: &random)]
            case 1: line.remove(at: at)
            case 2: line.insert(line[at], at: at)
            case 3: line.insert(pieces[Int.random(in: 0..<pieces.count, using: &random)], at: at)
            default:
                let end = min(line.count, at + Int.random(in: 1...12, using: &random))
                let piece = Array(line[at..<end])
                line.removeSubrange(at..<end)
                line.insert(contentsOf: piece, at: Int.random(in: 0...line.count, using: &random))
            }
        }
        return line.filter { $0 != 0x0A }
    }
}
