// What a test waits for: its count, and an executor whose jobs count there. Whatever makes tasks in a test's name must find
// it, also behind a clock or a sequence of whose kind it knows nothing.

package struct TestWorld: Sendable {
    package let activity: Activity
    package let executor: any TaskExecutor

    package init(activity: Activity, executor: any TaskExecutor) {
        (self.activity, self.executor) = (activity, executor)
    }

    /// The one that a sequence or clock belongs to, if there is one.
    static func of(_ something: some Any) -> TestWorld? {
        (something as? any BelongsToTestWorld)?.testWorld
    }
}

/// Sequences and clocks that may belong to one.
package protocol BelongsToTestWorld {
    var testWorld: TestWorld? { get }
}
