// Programs that this one starts know nothing of its connection: every descriptor of the library closes at exec(2).

import Foundation
import Notify
import NotifyTestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct InheritanceTests {
    private static func descriptors() -> Set<Int32> {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return Set(names.compactMap { Int32($0) }.filter { fcntl($0, F_GETFD) >= 0 })
    }

    @Test func `a program that is started inherits nothing of a center that is in use`() async throws {
        // In a process of its own: other tests open descriptors meanwhile.
        await #expect(processExitsWith: .success) {
            let daemon = try await DaemonProcess()
            let before = Self.descriptors()
            let center = NotifyCenter.patient(at: daemon.socketPath)
            let ticks = center.messages(for: Tick.self)
            try await center.post(Tick(number: 1))
            for await _ in ticks { break }
            let opened = Self.descriptors().subtracting(before)
            precondition(!opened.isEmpty, "a connection is a descriptor")
            for descriptor in opened {
                let flags = fcntl(descriptor, F_GETFD)
                // One that is closed by now is nobody's.
                precondition(flags < 0 || flags & FD_CLOEXEC != 0, "descriptor \(descriptor) is inherited")
            }
        }
    }
}
