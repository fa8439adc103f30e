// One start of ActivationProbe: the variables it finds, and what its descriptors from 3 on are.

import CSystemd
import Glibc

struct Launch: CustomStringConvertible, Sendable {
    enum Descriptor: String {
        case listening, connected, idle, datagram, sequenced, inet, file, pipe, closed

        /// A new descriptor of this kind; nil for none.
        func make() -> Int32? {
            var pair: [Int32] = [-1, -1]
            switch self {
            case .closed: return nil
            case .file: return open("/dev/null", O_RDONLY | O_CLOEXEC)
            case .pipe: Glibc.pipe(&pair)
            case .connected, .datagram, .sequenced:
                let type = self == .connected ? SOCK_STREAM : self == .datagram ? SOCK_DGRAM : SOCK_SEQPACKET
                socketpair(AF_UNIX, Int32(type.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair)
            case .idle, .listening, .inet:
                let family = self == .inet ? AF_INET : AF_UNIX
                pair[0] = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
                // Bound to the family alone: the kernel picks an abstract name.
                var address = sockaddr()
                address.sa_family = sa_family_t(AF_UNIX)
                if self == .listening {
                    bind(pair[0], &address, socklen_t(MemoryLayout<sa_family_t>.size))
                }
                if self != .idle {
                    listen(pair[0], 8)
                }
            }
            if pair[1] >= 0 {
                close(pair[1])
            }
            return pair[0]
        }
    }

    /// LISTEN_PID; `self` stands for the process id that the program will have.
    var pid: String? = "self"
    /// LISTEN_FDS
    var count: String? = "1"
    /// LISTEN_FDNAMES
    var names: String?
    var descriptors: [Descriptor] = [.listening]

    var description: String {
        "LISTEN_PID=\(pid ?? "–") LISTEN_FDS=\(count ?? "–") LISTEN_FDNAMES=\(names ?? "–") on \(descriptors)"
    }

    private static let parking: Int32 = 500

    /// Starts the program and returns the lines of its output; a line tells when it did not end with status 0.
    func run() -> [String] {
        var ends: [Int32] = [-1, -1]
        pipe(&ends)
        ends.forEach { _ = fcntl($0, F_SETFD, FD_CLOEXEC) }
        let made = descriptors.map { $0.make() }

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        // First out of the way of each other, then to their places (a source may be 3 or 4 itself), then nothing else.
        for case (let index, let descriptor?) in made.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Self.parking + Int32(index))
        }
        for (index, descriptor) in made.enumerated() {
            let place = SD_LISTEN_FDS_START + Int32(index)
            if descriptor == nil {
                posix_spawn_file_actions_addclose(&actions, place)
            } else {
                posix_spawn_file_actions_adddup2(&actions, Self.parking + Int32(index), place)
            }
        }
        for descriptor in SD_LISTEN_FDS_START + Int32(made.count)..<1024 {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }

        var environment: [String] = []
        if let pid, pid != "self" { environment.append("LISTEN_PID=\(pid)") }
        if let count { environment.append("LISTEN_FDS=\(count)") }
        if let names { environment.append("LISTEN_FDNAMES=\(names)") }
        // Only the program's own shell knows the process id that it will have.
        let script = pid == "self" ? "LISTEN_PID=$$; export LISTEN_PID; exec \"$0\"" : "exec \"$0\""
        let child = spawn(["/bin/sh", "-c", script, Self.probe], environment, &actions)
        posix_spawn_file_actions_destroy(&actions)
        close(ends[1])
        made.compactMap { $0 }.forEach { close($0) }

        var output = readAll(ends[0])
        close(ends[0])
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 && errno == EINTR {}
        if status != 0 {
            output += "\(Self.probe) ended with wait status \(status)\n"
        }
        return output.split(separator: "\n").map(String.init)
    }

    /// Built into the same directory as the test runner.
    private static let probe: String = {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let path = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        return path.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/ActivationProbe"
    }()

    private func spawn(
        _ arguments: [String], _ environment: [String], _ actions: inout posix_spawn_file_actions_t
    ) -> pid_t {
        let argv = arguments.map { strdup($0) } + [nil]
        let envp = environment.map { strdup($0) } + [nil]
        defer { (argv + envp).forEach { free($0) } }
        var child: pid_t = 0
        let code = posix_spawn(&child, arguments[0], &actions, nil, argv, envp)
        precondition(code == 0, "cannot start \(arguments): \(String(cString: strerror(code)))")
        return child
    }

    private func readAll(_ descriptor: Int32) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = read(descriptor, &buffer, buffer.count), count > 0 {
            bytes += buffer.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
