// From the command line to an exit status. The main thread stays with the watch; the command runs beside it.

import Dispatch
import Glibc

@main
enum Main {
    static func main() {
        _ = DispatchLog.isSilenced
        let standard = StandardDescriptors.prepare()
        do {
            switch try Request(processWords()) {
            case .show(let text):
                var output = Output(1, standard)
                output.add(text)
                try output.flush()
                leave(.done)
            case .run(let command, let options):
                start(command, options, standard)
            }
        } catch {
            end(error)
        }
    }

    private static func start(_ command: any Command, _ options: GlobalOptions, _ standard: StandardDescriptors)
        -> Never
    {
        let watch = Watch(signals: type(of: command).watchedSignals)
        let session = Session(options: options, standard: standard, watch: watch)
        Task.detached {
            do throws(Failure) {
                leave(try await command.run(session))
            } catch {
                end(error, of: command)
            }
        }
        if type(of: command).isWorker {
            // The main actor gets the main thread, the watch another one.
            DispatchQueue(label: "notifyctl.watch").async { watch.run(reader: 0) { leave(.unavailable) } }
            dispatchMain()
        }
        let reader: Int32? = type(of: command).endsWithItsReader && !standard.closed.contains(1) ? 1 : nil
        watch.run(reader: reader) { end(session.readerIsGone, of: command) }
    }

    private static func end(_ failure: Failure, of command: (any Command)? = nil) -> Never {
        let name = command.map { "\(type(of: $0).name): " } ?? ""
        if let text = failure.text { Diagnostics.say(name + text) }
        leave(failure.status)
    }

    private static func processWords() -> [Word] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            CommandLine.unsafeArgv[index].map { word in
                Word(bytes: UnsafeBufferPointer(start: word, count: strlen(word)).map(UInt8.init(bitPattern:)))
            }
        }
    }
}
