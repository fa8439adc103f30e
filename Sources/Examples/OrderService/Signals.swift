// Signals as a sequence. The library leaves them to the program.

import Dispatch
import Glibc

enum Signals {
    /// The first of these signals ends the wait; the program is not ended by them any more.
    static func first(of numbers: Int32...) async {
        let (signals, arrival) = AsyncStream.makeStream(of: Void.self)
        let sources = numbers.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { arrival.yield() }
            source.resume()
            return source
        }
        for await _ in signals { break }
        for source in sources { source.cancel() }
    }
}
