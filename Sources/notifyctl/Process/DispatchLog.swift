// libdispatch tries to raise the priority of a thread of its own. Without privileges it may not, and tells the system's
// log: one line for each run of notifyctl by an ordinary user. There is a variable against it.

import Glibc

enum DispatchLog {
    /// Whether the variable is ours, and no business of the programs that we start. To be asked first of all.
    static let isSilenced = getenv("LIBDISPATCH_LOG") == nil && setenv("LIBDISPATCH_LOG", "NO", 0) == 0
}
