// The door that libFuzzer knocks at: whatever bytes it makes up are taken for what a peer sent. Compiled in one piece
// with the sources of NotifyWire, not part of the package: see `run` beside this file.

import Glibc

/// What the parsers said about each line, for `judge.py` to check; only when a run asks for it.
nonisolated(unsafe) private let verdicts = getenv("NOTIFYD_FUZZ_VERDICTS").flatMap { fopen($0, "a") }

/// Called by libFuzzer with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: data, count: data == nil ? 0 : count))
    // Any size of piece does; one that depends on the input alone makes a find repeatable.
    StreamCheck.run(bytes, piece: 1 + count * 31 % 300)
    for line in bytes.split(separator: 10, omittingEmptySubsequences: false) {
        let verdict = LineCheck.run([UInt8](line))
        if let verdicts { write(verdict, [UInt8](line), to: verdicts) }
    }
    return 0
}

/// `1` for JSON, `0` for none, and the line in hexadecimal digits.
private func write(_ isJSON: Bool, _ line: [UInt8], to file: UnsafeMutablePointer<FILE>) {
    let digits = line.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    fputs("\(isJSON ? 1 : 0) \(digits)\n", file)
    fflush(file)
}
