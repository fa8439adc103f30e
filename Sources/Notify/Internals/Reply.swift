// The daemon's answer to a request, still in the bytes it came in.

import FoundationEssentials
import NotifyWire

struct Reply: Sendable {
    var fields = ReplyFields()
    /// The read that the line came with; its messages have nothing to do with the answer.
    var batch: MessageBatch?

    private var body: Data { batch?.data(fields.body) ?? Data() }

    func elements<Element: Decodable>(_ key: String) throws(NotifyError) -> [Element] {
        try read([Element].self, from: body, "a list '\(key)'")
    }

    var isTruncated: Bool { fields.isTruncated }

    /// Where a list goes on that is longer than one answer; nil: it does not, or the daemon does not say.
    var next: String? {
        guard fields.isTruncated, let batch, !fields.next.isAbsent else { return nil }
        return String(decoding: batch.bytes[fields.next.indices], as: UTF8.self)
    }

    func statistics() throws(NotifyError) -> NotifyCenter.Statistics {
        var statistics = try read(NotifyCenter.Statistics.self, from: body, "an object 'stats'")
        statistics.json = body
        return statistics
    }

    func explanation() throws(NotifyError) -> NotifyCenter.AccessExplanation {
        try read(NotifyCenter.AccessExplanation.self, from: body, "an object 'explain'")
    }

    func retainedMessage() throws(NotifyError) -> NotifyCenter.RawMessage? {
        guard let batch, !fields.body.isAbsent else { throw violation("a member 'message'") }
        if batch.bytes[fields.body.indices].elementsEqual("null".utf8) { return nil }
        let bytes = Array(batch.bytes[fields.body.indices])
        // The scanner wants readable bytes behind what it reads.
        let padded = bytes + repeatElement(10, count: 17)
        let message = padded.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.flatMap { DaemonLineParser.parseMessage($0, ByteRange(0, bytes.count)) }
        }
        guard let message else { throw violation("a message in 'message'") }
        return NotifyCenter.RawMessage(
            batch: MessageBatch(bytes: bytes, messages: [message], epoch: batch.epoch), index: 0)
    }

    func serverInfo(socketPath: String) throws(NotifyError) -> NotifyCenter.ServerInfo {
        let hello = try read(Hello.self, from: batch?.data(fields.line) ?? Data(), "the answer to hello")
        return NotifyCenter.ServerInfo(
            version: hello.server, epoch: hello.epoch, client: hello.client, position: hello.pos,
            limits: hello.limits ?? NotifyCenter.ServerInfo.Limits(), features: hello.features ?? [],
            socketPath: socketPath, started: hello.startedMicroseconds, pid: hello.pid)
    }

    private struct Hello: Decodable {
        var server: String
        var epoch: String
        var client: UInt64
        var pos: UInt64
        var limits: NotifyCenter.ServerInfo.Limits?
        var features: [String]?
        var startedMicroseconds: UInt64?
        var pid: Int32?

        enum CodingKeys: String, CodingKey {
            case server, epoch, client, pos, limits, features, pid
            case startedMicroseconds = "started_us"
        }
    }

    private func read<Value: Decodable>(
        _ type: Value.Type, from data: Data, _ what: String
    ) throws(NotifyError) -> Value {
        do {
            return try PayloadCoder.decoder.decode(type, from: data)
        } catch {
            throw violation(what, cause: error)
        }
    }

    private func violation(_ expected: String, cause: (any Error)? = nil) -> NotifyError {
        NotifyError(.protocolViolation, "the daemon's answer is not understood: expected \(expected)", cause: cause)
    }
}

extension NotifyCenter.PostReceipt {
    init(reply: Reply) {
        self.init(
            sequence: reply.fields.seq, position: reply.fields.pos,
            matched: Int(clamping: reply.fields.matched), dropped: Int(clamping: reply.fields.dropped),
            isDuplicate: reply.fields.isDuplicate, schedule: reply.fields.schedule, isHeld: reply.fields.isHeld,
            hasReplaced: reply.fields.hasReplaced)
    }
}
