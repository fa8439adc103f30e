// A peer on the stage: what its kernel takes and what it has read.

import NotifyTestSupport
import NotifyWire
import Testing

@testable import NotifyBroker

final class StageClient {
    let peer: PeerRef
    private unowned let stage: Stage
    /// Bytes that its kernel still takes; nil: any number.
    var room: Int?
    private var received: [UInt8] = []
    private var consumed = 0

    init(peer: PeerRef, stage: Stage) {
        self.peer = peer
        self.stage = stage
    }

    var number: UInt64 { peer.pointee.client }
    /// How many bytes were offered to its kernel, each time.
    var offers: [Int] = []
    var isBlocked: Bool { peer.pointee.isBlocked }
    var isPaused: Bool { peer.pointee.isPaused }
    var isEnding: Bool { peer.pointee.isEnding }

    func take(_ slice: ByteSlice) -> Int {
        let count = min(slice.count, room ?? .max)
        received.append(contentsOf: slice.buffer.prefix(count))
        if let room { self.room = room - count }
        return count
    }

    // MARK: Asking

    func send(_ line: String) { stage.hand(Array(line.utf8), from: self) }

    /// Sends a request and returns the one line that answers it.
    func ask(_ line: String, sourceLocation: SourceLocation = #_sourceLocation) -> JSON {
        send(line)
        let lines = read()
        #expect(lines.count == 1, "one answer to \(line), not \(lines)", sourceLocation: sourceLocation)
        return lines.last ?? .null
    }

    func post(_ channel: String, _ payload: String = "null", more: String = "") {
        send(#"{"op":"post","channel":"\#(channel)","payload":\#(payload)\#(more)}"#)
    }

    @discardableResult
    func subscribe(_ pattern: String, _ more: String = "", sourceLocation: SourceLocation = #_sourceLocation) -> JSON {
        let reply = ask(#"{"op":"subscribe","id":1,"channel":"\#(pattern)"\#(more)}"#, sourceLocation: sourceLocation)
        #expect(reply.op == "ok", "\(reply)", sourceLocation: sourceLocation)
        return reply
    }

    // MARK: Reading

    /// The kernel takes nothing more.
    func block() { room = 0 }

    /// The kernel takes `bytes` more; what waited comes now.
    func makeRoom(_ bytes: Int?) {
        room = bytes
        stage.writable(self)
    }

    /// The kernel takes everything again; all that waited comes now.
    func unblock() { makeRoom(nil) }

    /// The complete lines that came since the last call, as they are.
    func readRaw() -> [String] {
        var lines: [String] = []
        while let end = received[consumed...].firstIndex(of: 10) {
            lines.append(String(decoding: received[consumed..<end], as: UTF8.self))
            consumed = end + 1
        }
        return lines
    }

    func read() -> [JSON] { readRaw().map { JSON($0) } }

    /// Like `read`; the lines will be read again.
    func peek() -> [JSON] {
        let start = consumed
        defer { consumed = start }
        return read()
    }

    /// Bytes of a line that is not complete yet.
    var partial: Int { received.count - (received.lastIndex(of: 10).map { $0 + 1 } ?? 0) }
}

extension [JSON] {
    /// The messages among the lines.
    var messages: [JSON] { filter { $0.op == "message" } }
    var gaps: [JSON] { filter { $0.op == "gap" } }
    var sequences: [Int] { messages.map { $0["seq"].int ?? -1 } }
    var payloads: [Int] { messages.map { $0["payload"].int ?? -1 } }
}
