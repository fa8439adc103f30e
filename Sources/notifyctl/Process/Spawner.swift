// Starting a command. Its input is an anonymous file that is complete before it starts: no pipe to fill, so a command
// that never reads holds up nobody.

import CNotifyctl
import Glibc

/// Starts child processes.
struct Spawner: Sendable {
    /// SIGPIPE was ignored when we were started, so children get it that way too.
    let ignoresPipeSignal: Bool

    /// Starts a command with these variables changed, and `input` on its standard input.
    func start(
        _ command: [Word], _ variables: [(name: String, value: String?)], input: [UInt8]
    ) throws(Failure) -> pid_t {
        let file = try Self.file(input)
        defer { close(file) }
        return try start(command, variables, standardInput: file)
    }

    /// Starts a command with these variables changed, and a descriptor as its standard input.
    func start(
        _ command: [Word], _ variables: [(name: String, value: String?)], standardInput file: Int32
    ) throws(Failure) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, file, STDIN_FILENO)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var none = sigset_t()
        sigemptyset(&none)
        // The watch blocks signals; a child must not inherit that.
        posix_spawnattr_setsigmask(&attributes, &none)
        var defaults = sigset_t()
        sigemptyset(&defaults)
        if !ignoresPipeSignal { sigaddset(&defaults, SIGPIPE) }
        posix_spawnattr_setsigdefault(&attributes, &defaults)

        let arguments = CStrings(command.map(\.bytes))
        let environment = CStrings(Self.environment(variables))
        defer {
            arguments.free()
            environment.free()
        }
        var pid: pid_t = 0
        guard let name = arguments.pointers[0] else { throw Failure(.software, "no command to start") }
        let code = posix_spawnp(&pid, name, &actions, &attributes, arguments.pointers, environment.pointers)
        guard code == 0 else {
            throw Failure(.refused, "cannot start '\(command[0].shown)': \(String(cString: strerror(code)))")
        }
        return pid
    }

    private static func file(_ bytes: [UInt8]) throws(Failure) -> Int32 {
        let file = cnotifyctl_anonymous_file("payload")
        var written = 0
        while file >= 0, written < bytes.count {
            let count = bytes.withUnsafeBytes { write(file, $0.baseAddress! + written, $0.count - written) }
            if count < 0 && errno != EINTR { break }
            written += max(0, count)
        }
        guard file >= 0, written == bytes.count, lseek(file, 0, SEEK_SET) == 0 else {
            let reason = String(cString: strerror(errno))
            if file >= 0 { close(file) }
            throw Failure(.software, "cannot keep a payload for the command: \(reason)")
        }
        return file
    }

    /// Our environment with the changes.
    private static func environment(_ variables: [(name: String, value: String?)]) -> [[UInt8]] {
        let changed = variables.map { Array("\($0.name)=".utf8) }
        var result: [[UInt8]] = []
        var place = cnotifyctl_environment()
        while let entry = place?.pointee {
            let bytes = UnsafeBufferPointer(start: entry, count: strlen(entry)).map(UInt8.init(bitPattern:))
            if !changed.contains(where: bytes.starts(with:)) { result.append(bytes) }
            place = place?.advanced(by: 1)
        }
        return result + variables.compactMap { variable in variable.value.map { Array("\(variable.name)=\($0)".utf8) } }
    }

    /// A null-terminated array of C strings.
    private struct CStrings {
        let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
        private let count: Int

        init(_ strings: [[UInt8]]) {
            count = strings.count
            pointers = .allocate(capacity: count + 1)
            for (index, string) in strings.enumerated() {
                let copy = UnsafeMutablePointer<CChar>.allocate(capacity: string.count + 1)
                for (place, byte) in string.enumerated() { copy[place] = CChar(bitPattern: byte) }
                copy[string.count] = 0
                (pointers + index).initialize(to: copy)
            }
            (pointers + count).initialize(to: nil)
        }

        func free() {
            for index in 0..<count { pointers[index]?.deallocate() }
            pointers.deallocate()
        }
    }
}
