// What stands at the other end of standard output.

import Glibc

/// The terminal at a descriptor, if there is one.
enum Terminal {
    static func isThere(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// The columns of the terminal; nil in a file or a pipe.
    static func width(_ descriptor: Int32) -> Int? {
        guard isThere(descriptor) else { return nil }
        var size = winsize()
        if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        return environment("COLUMNS").flatMap(Int.init) ?? 80
    }

    /// A variable of the environment.
    static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
