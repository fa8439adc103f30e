// The parts of systemd's protocols that need no systemd, on the real program: told in Scenarios/handover.py.

import Testing

struct HandoverTests {
    @Test("What is handed over is used when it is good, told when it is not, and never in the way")
    func handover() async throws {
        try await Rig.play("handover")
    }
}
