// Random plays against a plain model: whatever happens, the right posts are made once, each subscription gets in order
// what matched it, and what is missing is told, exactly, where it is missing.
//
// MODEL_SEEDS=1...500 and MODEL_STEPS=2000 in the environment play more of them.

import Foundation
import Testing

@Suite("Any sequence of requests, partial writes and commits")
struct ModelTests {
    /// Small chunks are filled and given up all the time, large ones never.
    @Test(
        "makes what is to be made, and loses nothing that is not told in its place", arguments: [256, 2048, 512 << 10])
    func nothingIsLostSilently(chunkBytes: Int) {
        var reached = Set<String>()
        for seed in seeds {
            let play = Play(seed: seed, chunkBytes: chunkBytes)
            play.run(steps: steps)
            play.finish()
            reached.formUnion(play.reached)
            guard let fault = play.fault else { continue }
            Issue.record("\(shrink(seed, chunkBytes) ?? "seed \(seed): \(fault)")")
            return
        }
        for goal in Play.goals { #expect(reached.contains(goal), "no play came to this: \(goal)") }
    }

    private var environment: [String: String] { ProcessInfo.processInfo.environment }

    private var seeds: ClosedRange<UInt64> {
        let bounds = (environment["MODEL_SEEDS"] ?? "").split(separator: "...").compactMap { UInt64($0) }
        return bounds.count == 2 ? bounds[0]...bounds[1] : 1...12
    }

    private var steps: Int { environment["MODEL_STEPS"].flatMap { Int($0) } ?? 300 }

    /// The same fault, or another, with as little as possible.
    private func shrink(_ seed: UInt64, _ chunkBytes: Int) -> String? {
        var (steps, excluded, found) = (steps, Set<Feature>(), String?.none)
        func fails(_ steps: Int, _ excluded: Set<Feature>) -> Bool {
            let play = Play(seed: seed, chunkBytes: chunkBytes, without: excluded)
            play.run(steps: steps)
            play.finish()
            guard let fault = play.fault else { return false }
            found = "seed \(seed), \(steps) steps of \(play.features), chunks of \(chunkBytes): \(fault)"
            return true
        }
        for feature in Feature.allCases where fails(steps, excluded.union([feature])) { excluded.insert(feature) }
        while steps > 1, fails(steps * 3 / 4, excluded) { steps = steps * 3 / 4 }
        return found
    }
}
