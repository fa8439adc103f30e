// The terminal under `top`: taken over, drawn on, and given back as it was, whatever ends us.

import Glibc
import NotifyLock
import Synchronization

/// A terminal that shows one full screen.
final class TopTerminal: Sendable {
    private static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
    private static let exit = "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    private let input: Int32
    private let output: Int32
    /// As it was found; nil: it was never taken over.
    private let original = Locked<termios?>(nil)
    /// Asked without the lock: whoever draws may be stuck in a write.
    private let isOurs = Atomic(false)

    init(input: Int32 = STDIN_FILENO, output: Int32 = STDOUT_FILENO) {
        (self.input, self.output) = (input, output)
    }

    /// Keys come one by one and are not shown; signals keep their keys.
    func takeOver() throws(Failure) {
        var state = termios()
        guard tcgetattr(input, &state) == 0 else {
            throw Failure(.inputOutput, "the terminal: \(String(cString: strerror(errno)))")
        }
        original.withLock { if $0 == nil { $0 = state } }
        state.c_lflag &= ~tcflag_t(ICANON | ECHO)
        state.c_iflag &= ~tcflag_t(IXON | ICRNL)
        guard tcsetattr(input, TCSANOW, &state) == 0 else {
            throw Failure(.inputOutput, "the terminal: \(String(cString: strerror(errno)))")
        }
        isOurs.store(true, ordering: .sequentiallyConsistent)
        write(Self.enter)
    }

    /// As it was before. May be called from any thread, and twice.
    func giveBack() {
        guard isOurs.exchange(false, ordering: .sequentiallyConsistent) else { return }
        // A terminal that takes nothing is not waited for: whatever ends us must do so.
        var state = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
        if poll(&state, 1, 100) > 0 { write(Self.exit) }
        if var found = original.withLock({ $0 }) { tcsetattr(input, TCSANOW, &found) }
    }

    func draw(_ lines: [String]) {
        guard isOurs.load(ordering: .sequentiallyConsistent) else { return }
        write("\u{1B}[H" + lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n") + "\u{1B}[J")
    }

    /// Columns and rows.
    var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(output, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// What belongs together comes within so many milliseconds, also over a slow line.
    private static let pause: Int32 = 100

    /// Reads keys until the terminal is gone.
    func readKeys(_ take: (UInt8) -> Void) {
        var bytes = [UInt8](repeating: 0, count: 256)
        var keys = TopKeys()
        while true {
            var state = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
            if keys.isWaiting, poll(&state, 1, Self.pause) == 0 { keys.pause().map(take) }
            let count = read(input, &bytes, bytes.count)
            if count > 0 {
                for byte in bytes.prefix(count) { keys.key(byte).map(take) }
            } else if count == 0 || errno != EINTR && errno != EAGAIN {
                return
            } else if errno == EAGAIN {
                poll(&state, 1, -1)
            }
        }
    }

    private func write(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno == EAGAIN {
                var state = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
                poll(&state, 1, -1)
            } else if errno != EINTR {
                return
            }
        }
    }
}
