// A program that takes the sockets passed to it, as notifyd does at its start, and prints what it got: one line
// `FD NAME FLAGS` for each, or `error: …`, then the LISTEN_ variables that are still set. ActivationSocketsTests starts it.

import Glibc
import NotifySystemd

@main struct Main {
    static func main() {
        do throws(ActivationError) {
            for socket in try ActivationSockets.take() {
                let isClosedOnExec = fcntl(socket.descriptor, F_GETFD) & FD_CLOEXEC != 0
                let isNonBlocking = fcntl(socket.descriptor, F_GETFL) & O_NONBLOCK != 0
                print(
                    socket.descriptor, socket.name, isClosedOnExec ? "cloexec" : "leaks",
                    isNonBlocking ? "nonblock" : "blocks")
            }
        } catch {
            print("error: \(error)")
        }
        for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] where getenv(name) != nil {
            print("still set: \(name)")
        }
    }
}
