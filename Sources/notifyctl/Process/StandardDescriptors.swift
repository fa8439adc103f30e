// Descriptors 0, 1 and 2 as they were inherited. One that is closed is filled first of all: else the socket would take
// its number, and what is meant for a terminal would go to the daemon.

import Glibc

/// The state of the standard descriptors and of SIGPIPE at the start.
struct StandardDescriptors: Sendable, Equatable {
    /// Those that were closed.
    var closed: Set<Int32> = []
    /// Whoever started us wants EPIPE, not a quiet end.
    var ignoresPipeSignal = false

    /// Fills the closed ones with /dev/null; from here on a broken pipe is an error code and not a signal.
    static func prepare() -> StandardDescriptors {
        var state = StandardDescriptors()
        for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) == -1 {
            state.closed.insert(descriptor)
            // The lowest free number is this one: those below are open by now.
            _ = open("/dev/null", O_RDWR)
        }
        var action = sigaction()
        sigaction(SIGPIPE, nil, &action)
        state.ignoresPipeSignal = action.isIgnore
        signal(SIGPIPE, SIG_IGN)
        return state
    }
}

extension sigaction {
    /// The signal is ignored.
    var isIgnore: Bool {
        unsafeBitCast(__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
