// `top` on a terminal: keys, the clock, the daemon's answers and signals come in as events, one after the other; after
// each the screen is drawn.

import Dispatch
import Glibc
import Notify

/// The live view.
struct TopView: Sendable {
    private enum Event: Sendable {
        case key(UInt8)
        /// It is time to ask.
        case time
        case sample(TopSample)
        case failed(String)
        case state(NotifyCenter.ConnectionState)
        /// The terminal has another size, or is ours again.
        case redraw
        case inputEnded
    }

    private let session: Session
    private let center: NotifyCenter
    private let terminal = TopTerminal()
    private let stream: AsyncStream<Event>
    private let post: AsyncStream<Event>.Continuation

    init(_ session: Session, _ center: NotifyCenter) {
        (self.session, self.center) = (session, center)
        (stream, post) = AsyncStream.makeStream(of: Event.self)
    }

    /// Until somebody quits.
    func run(_ start: TopScreen) async throws(Failure) {
        try terminal.takeOver()
        defer { terminal.giveBack() }
        session.watch.beforeDeath { [terminal] _ in terminal.giveBack() }
        session.watch.onSignal { [terminal, post] number in
            switch number {
            case SIGTSTP:
                terminal.giveBack()
                // All of us stops here, and goes on here.
                kill(getpid(), SIGSTOP)
                try? terminal.takeOver()
            // Stopped by somebody who left us no time to give it back.
            case SIGCONT: try? terminal.takeOver()
            default: break
            }
            post.yield(.redraw)
        }
        DispatchQueue(label: "notifyctl.keys").async { [terminal, post] in
            terminal.readKeys { post.yield(.key($0)) }
            post.yield(.inputEnded)
        }
        let states = Task { [center, post] in
            for await state in center.states { post.yield(.state(state)) }
        }
        defer { states.cancel() }
        await show(start)
        session.watch.cancel("top")
        session.watch.onSignal(nil)
        session.watch.beforeDeath(nil)
    }

    private func show(_ start: TopScreen) async {
        var screen = start
        var isAsking = false
        // A daemon that takes long to answer is not asked more often than it can bear.
        var spent = Duration.zero
        post.yield(.time)
        for await event in stream {
            switch event {
            case .key(let key):
                switch screen.press(key) {
                case .quit: return
                case .retime where !isAsking: plan(screen, spent)
                case .nothing: continue
                default: break
                }
            case .time:
                if screen.isPaused || isAsking { continue }
                isAsking = true
                ask()
                continue
            case .sample(let sample):
                isAsking = false
                screen.trouble = nil
                spent = .nanoseconds(Int64(sample.time - sample.asked))
                if !screen.isPaused { screen.model.add(sample) }
                plan(screen, spent)
            case .failed(let reason):
                isAsking = false
                screen.trouble = "no answer: \(reason)"
                plan(screen, spent)
            case .state(.disconnected(let error)):
                screen.trouble = "the daemon went away (\(error.message)); waiting for it to come back"
            case .state(.connected) where screen.trouble != nil: screen.trouble = "the daemon is back"
            case .state: continue
            case .redraw: break
            case .inputEnded: return
            }
            let size = terminal.size
            terminal.draw(screen.lines(columns: size.columns, rows: size.rows))
        }
    }

    private func plan(_ screen: TopScreen, _ spent: Duration) {
        session.watch.set("top", after: max(screen.interval, spent * 3)) { [post] in post.yield(.time) }
    }

    private func ask() {
        Task { [center, post] in
            do throws(NotifyError) {
                post.yield(.sample(try await TopSample(center, now: Watch.now)))
            } catch {
                post.yield(.failed(error.message))
            }
        }
    }
}
