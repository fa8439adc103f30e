// A program that inherits nothing of the test's but its output files. Foundation's Process learns of an end through a
// socket, which programs started beside it at the same moment can inherit: then it waits for those, too.

package import Foundation

package enum Child {
    /// Starts `words[0]` (a path, or a name found through PATH) with an empty input.
    package static func start(
        _ words: [String], environment: [String: String], directory: String = "/", output: String, errors: String
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        for (number, path) in [(STDOUT_FILENO, output), (STDERR_FILENO, errors)] {
            posix_spawn_file_actions_addopen(&actions, number, path, O_WRONLY | O_APPEND | O_CREAT, 0o600)
        }
        _ = closeFrom(&actions, 3)
        let script = ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", directory]
        let argv = (script + words).map { strdup($0) } + [nil]
        let envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (argv + envp).forEach { free($0) } }
        var child: pid_t = 0
        let code = posix_spawn(&child, "/bin/sh", &actions, nil, argv, envp)
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
        return child
    }

    /// The exit status, or 128 + n for a death by signal n; nil if it has not ended yet (with WNOHANG).
    package static func status(of pid: pid_t, _ options: Int32 = 0) -> Int32? {
        var status: Int32 = 0
        var result: pid_t
        repeat { result = waitpid(pid, &status, options) } while result < 0 && errno == EINTR
        guard result == pid else { return nil }
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    }

    /// glibc has it since 2.34; the headers show it to GNU sources only.
    private typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32

    private static let closeFrom: CloseFrom = {
        guard let found = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") else {
            fatalError("glibc without posix_spawn_file_actions_addclosefrom_np")
        }
        return unsafeBitCast(found, to: CloseFrom.self)
    }()
}
