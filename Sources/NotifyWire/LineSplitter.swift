// Finds the lines in what a peer sent. Remembers how far it has looked, and passes over the rest of a line that is too
// long without keeping it. It holds no bytes: the buffer is the caller's.

import Glibc

package struct LineSplitter {
    package enum Step {
        /// A line from `start` to the newline at `end`.
        case line(start: Int, end: Int)
        /// A line grew past the limit; told once, its rest is skipped. Go on at `resume`.
        case tooLong(resume: Int)
        /// No further line in these bytes; those from `keep` on belong to the next one.
        case incomplete(keep: Int)
    }

    private var searched: Int32 = 0
    private var isSkipping = false

    package init() {}

    /// The next line in `bytes[start..<end]`; call with the previous line's end plus one. `limit` counts the
    /// newline.
    package mutating func next(
        in bytes: UnsafePointer<UInt8>, from start: Int, to end: Int, limit: Int
    ) -> Step {
        var start = start
        while true {
            let from = start + Int(searched)
            guard from < end, let found = memchr(bytes + from, 10, end - from) else {
                if isSkipping {
                    searched = 0
                    return .incomplete(keep: end)
                }
                searched = Int32(end - start)
                // Without its newline a line of `limit - 1` bytes may still come to an end in time.
                if end - start >= limit {
                    isSkipping = true
                    searched = 0
                    return .tooLong(resume: end)
                }
                return .incomplete(keep: start)
            }
            let newline = UnsafeRawPointer(found) - UnsafeRawPointer(bytes)
            searched = 0
            if isSkipping {
                isSkipping = false
                start = newline + 1
                continue
            }
            if newline - start + 1 > limit {
                return .tooLong(resume: newline + 1)
            }
            return .line(start: start, end: newline)
        }
    }

    /// Whether the next byte begins a line.
    package var isAtLineStart: Bool { searched == 0 && !isSkipping }

    /// Whether the end of the input would cut a line off.
    package var isInsideLine: Bool { searched > 0 && !isSkipping }
}
