// How much memory a daemon may take. The programs under test can be built with a sanitizer, whose bookkeeping and
// quarantine are many times what the daemon itself allocates: figures mean nothing there, and are not judged.

import Glibc
package import Testing

package enum Sanitizer {
    /// Whether the tests, and the programs beside them, were built with `--sanitize=thread` or `--sanitize=address`.
    package static let isPresent = dlsym(nil, "__tsan_init") != nil || dlsym(nil, "__asan_init") != nil
}

extension TestDaemon {
    /// Expects that it has never taken `limit` KiB more than `before`, its peak at that time.
    package func expectPeak(since before: Int, below limit: Int, at place: SourceLocation = #_sourceLocation) {
        expectMemory(peakMemory - before, below: limit, at: place)
    }

    /// Expects that `grown` KiB are less than `limit`.
    package func expectMemory(_ grown: Int, below limit: Int, at place: SourceLocation = #_sourceLocation) {
        guard !Sanitizer.isPresent else { return }
        #expect(grown < limit, "KiB", sourceLocation: place)
    }
}
