// What the tests of the built notifyctl need: a daemon of their own, and a tool that runs while the test watches it.

import Foundation
import Glibc
import NotifyLock
import NotifyTestSupport

/// A program that runs beside the test: its output is read line by line, its input is written at will.
final class RunningTool: Sendable {
    private let process: Process
    private let input = Pipe()
    private let ended: Task<Int32, Never>
    let output = ReadLines()
    let errors = ReadLines()

    /// Starts `program`. `environment` is added to the test's own.
    init(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment
            .filter { !$0.key.hasPrefix("NOTIFY") && $0.key != "NO_COLOR" }.merging(environment) { $1 }
        let outputPipe = Pipe()
        let errorPipe = Pipe()
        process.standardInput = input
        process.standardOutput = outputPipe
        process.standardError = errorPipe
        let exit = AsyncStream<Void>.makeStream()
        process.terminationHandler = { _ in exit.continuation.finish() }
        try process.run()
        self.process = process
        output.read(outputPipe.fileHandleForReading)
        errors.read(errorPipe.fileHandleForReading)
        ended = Task {
            for await _ in exit.stream {}
            return process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
        }
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        // Foundation keeps a process that has ended, and with it the pipe.
        try? endInput()
    }

    var pid: Int32 { process.processIdentifier }

    /// Waits for its end: the exit status, or 128 + n for a death by signal n. A test that has taken too long ends it.
    func status() async -> Int32 {
        await withTaskCancellationHandler {
            await ended.value
        } onCancel: {
            signal(SIGKILL)
        }
    }

    /// Waits for its end: whether a signal ended it, and not an exit with a number that looks like one.
    func diedBySignal() async -> Bool {
        _ = await ended.value
        return process.terminationReason == .uncaughtSignal
    }

    func signal(_ number: Int32) { kill(pid, number) }

    /// Writes as much as the program takes; it may end before it has read all.
    func write(_ text: String) async {
        let descriptor = input.fileHandleForWriting.fileDescriptor
        await withCheckedContinuation { continuation in
            // A broken pipe must end this write only, so its signal is kept from this thread.
            Thread.detachNewThread {
                var signals = sigset_t()
                sigemptyset(&signals)
                sigaddset(&signals, SIGPIPE)
                pthread_sigmask(SIG_BLOCK, &signals, nil)
                var rest = Array(text.utf8)[...]
                while !rest.isEmpty {
                    let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
                    if count <= 0 { break }
                    rest = rest.dropFirst(count)
                }
                continuation.resume()
            }
        }
    }

    func endInput() throws { try input.fileHandleForWriting.close() }
}

/// Lines that are read as they come.
final class ReadLines: Sendable {
    private struct State {
        var lines: [String] = []
        var isOver = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state = Locked(State())

    fileprivate func read(_ handle: FileHandle) {
        Thread.detachNewThread { [self] in
            var rest = Data()
            while true {
                let data = Self.available(handle)
                rest += data
                while let newline = rest.firstIndex(of: 0x0A) {
                    add(String(decoding: rest[..<newline], as: UTF8.self))
                    rest = Data(rest[(newline + 1)...])
                }
                if data.isEmpty {
                    if !rest.isEmpty { add(String(decoding: rest, as: UTF8.self)) }
                    // Now: Foundation keeps what a thread has held.
                    try? handle.close()
                    return end()
                }
            }
        }
    }

    /// What is there to be read, waiting for something; empty at the end. FileHandle's own stops the program when a
    /// signal interrupts it.
    private static func available(_ handle: FileHandle) -> Data {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        var count: Int
        repeat { count = Glibc.read(handle.fileDescriptor, &buffer, buffer.count) } while count < 0 && errno == EINTR
        return Data(buffer.prefix(max(0, count)))
    }

    /// The next line; nil at the end, or when the test has taken too long.
    func next() async -> String? {
        while true {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isReady = state.withLock { state in
                        if !state.lines.isEmpty || state.isOver || Task.isCancelled { return true }
                        state.waiting = continuation
                        return false
                    }
                    if isReady { continuation.resume() }
                }
            } onCancel: {
                wake { _ in }
            }
            let (line, isOver) = state.withLock { state in
                (state.lines.isEmpty ? nil : state.lines.removeFirst(), state.isOver)
            }
            if line != nil || isOver || Task.isCancelled { return line }
        }
    }

    /// All that is still to come.
    func rest() async -> [String] {
        var result: [String] = []
        while let line = await next() { result.append(line) }
        return result
    }

    /// Skips lines until one contains `text`; nil if none does.
    func next(containing text: String) async -> String? {
        while let line = await next() { if line.contains(text) { return line } }
        return nil
    }

    private func add(_ line: String) { wake { $0.lines.append(line) } }

    private func end() { wake { $0.isOver = true } }

    private func wake(_ change: (inout State) -> Void) {
        let waiting = state.withLock { state in
            change(&state)
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }
}

/// A daemon of the test's own, and the tool that talks to it.
final class ToolBench: Sendable {
    let daemon: DaemonProcess
    /// For what else the test needs.
    let directory: TemporaryDirectory

    var socket: String { daemon.socketPath }

    init(arguments: [String] = []) async throws {
        daemon = try await DaemonProcess(arguments: arguments)
        directory = try TemporaryDirectory()
    }

    /// Runs the tool to its end. Its standard input is empty.
    func run(_ arguments: String..., input: String = "") async -> ToolOutcome {
        await run(arguments, input: input)
    }

    func run(_ arguments: [String], input: String = "") async -> ToolOutcome {
        do {
            let tool = try start(arguments)
            // The tool may end without reading it all.
            let writer = Task {
                await tool.write(input)
                try? tool.endInput()
            }
            async let output = tool.output.rest()
            async let errors = tool.errors.rest()
            let outcome = ToolOutcome(status: await tool.status(), output: await output, errors: await errors)
            await writer.value
            return outcome
        } catch {
            return ToolOutcome(status: -1, output: [], errors: ["\(error)"])
        }
    }

    /// Starts the tool beside the test.
    func start(_ arguments: [String], environment: [String: String] = [:]) throws -> RunningTool {
        try RunningTool(
            Checkout.program("notifyctl"), arguments,
            environment: environment.merging(["NOTIFYD_SOCKET": socket]) { mine, _ in mine })
    }

    /// A listener that the daemon has registered.
    func listen(_ arguments: String..., environment: [String: String] = [:]) async throws -> RunningTool {
        let tool = try start(["listen", "-v"] + arguments, environment: environment)
        guard await tool.errors.next(containing: "connected to") != nil else { throw CocoaError(.executableLoad) }
        return tool
    }

    /// Runs a line of bash with `$ctl` as the tool; for closed descriptors, pipelines and signals.
    func shell(_ line: String) async throws -> ToolOutcome {
        let tool = try RunningTool(
            "/bin/bash", ["-c", line], environment: ["ctl": Checkout.program("notifyctl"), "NOTIFYD_SOCKET": socket])
        try tool.endInput()
        async let output = tool.output.rest()
        async let errors = tool.errors.rest()
        return ToolOutcome(status: await tool.status(), output: await output, errors: await errors)
    }
}

/// How a run ended and what it wrote.
struct ToolOutcome: Sendable {
    var status: Int32
    var output: [String]
    var errors: [String]
}
