// A clock that follows the time zone, from whichever process it is changed:
//
//     ClockFace &
//     notifyctl post system.timezone identifier=Asia/Tokyo

import Glibc
import Notify
import Observation

@main @MainActor struct ClockFace {
    static func main() async {
        let model = ClockModel()
        let running = Task { await model.run(.default, clock: ContinuousClock()) }
        for await text in Observations({ model.text }) {
            print(text)
            fflush(nil)
        }
        running.cancel()
    }
}
