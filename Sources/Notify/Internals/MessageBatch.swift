// The message lines of one read, kept once for all who hold one of them. Text, data and decoded values are made from
// it when somebody asks, in that somebody's task; several observers of one type share one decoding.

import FoundationEssentials
import Glibc
import NotifyLock
import NotifyWire
import Synchronization

final class MessageBatch: Sendable {
    let bytes: [UInt8]
    let messages: [MessageFields]
    /// The life of the daemon's numbering that the messages belong to.
    let epoch: String

    /// Whether several consumers hold these messages: then decoded values are kept for the next one.
    private let isShared: Atomic<Bool>
    private let decoded = Locked<[DecodingKey: Decoding]>([:])

    private struct DecodingKey: Hashable {
        var index: Int
        var type: ObjectIdentifier
    }

    private enum Decoding: Sendable {
        case value(any Sendable)
        case failure(NotifyError)
    }

    init(bytes: [UInt8], messages: [MessageFields], epoch: String, isShared: Bool = false) {
        self.bytes = bytes
        self.messages = messages
        self.epoch = epoch
        self.isShared = Atomic(isShared)
    }

    func share() {
        isShared.store(true, ordering: .relaxed)
    }

    /// Some of the messages in a batch of their own, so that a few of them do not keep the bytes of all others.
    func excerpt(_ range: Range<Int>) -> MessageBatch {
        var copy: [UInt8] = []
        var moved: [MessageFields] = []
        copy.reserveCapacity(messages[range].reduce(0) { $0 + $1.line.count })
        for fields in messages[range] {
            let start = copy.count
            copy.append(contentsOf: bytes[fields.line.indices])
            moved.append(fields.moved(from: Int(fields.line.start), to: start))
        }
        return MessageBatch(
            bytes: copy, messages: moved, epoch: epoch, isShared: isShared.load(ordering: .relaxed))
    }

    func byteCount(_ range: Range<Int>) -> Int {
        guard let first = range.first, let last = range.last else { return 0 }
        return Int(messages[last].line.end) - Int(messages[first].line.start)
    }

    func withBytes<Result, Failure: Error>(
        _ range: ByteRange, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try bytes.withUnsafeBufferPointer { bytes throws(Failure) -> Result in
            try body(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[range.indices])))
        }
    }

    func data(_ range: ByteRange) -> Data {
        withBytes(range) { bytes in bytes.baseAddress.map { Data(bytes: $0, count: bytes.count) } ?? Data() }
    }

    /// The text of a JSON string, its escapes resolved.
    func text(_ range: ByteRange) -> String {
        let slice = bytes[range.indices]
        guard slice.contains(UInt8(ascii: "\\")) else { return String(decoding: slice, as: UTF8.self) }
        return slice.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return "" }
            var log = ByteLog(capacity: buffer.count + 16)
            return log.append(unescaped: ByteSlice(start, buffer.count)).text
        }
    }

    func equals(_ range: ByteRange, _ text: String) -> Bool {
        var text = text
        let isSame = text.withUTF8 { text in
            withBytes(range) { bytes in
                guard text.count == bytes.count, let one = text.baseAddress, let other = bytes.baseAddress else {
                    return text.count == bytes.count
                }
                return memcmp(one, other, bytes.count) == 0
            }
        }
        return isSame || self.text(range).utf8.elementsEqual(text.utf8)
    }

    func areEqual(_ one: ByteRange, _ otherBatch: MessageBatch, _ other: ByteRange) -> Bool {
        bytes[one.indices].elementsEqual(otherBatch.bytes[other.indices])
    }

    /// Whether one of the patterns stands for the channel of a message.
    func matches(_ patterns: [NotifyCenter.Pattern], _ channel: ByteRange) -> Bool {
        bytes[channel.indices].withUnsafeBufferPointer { channel in
            guard let channelStart = channel.baseAddress else { return false }
            return patterns.contains { pattern in
                var text = pattern.rawValue
                return text.withUTF8 { pattern in
                    guard let patternStart = pattern.baseAddress else { return false }
                    return PatternName.matches(
                        ByteSlice(patternStart, pattern.count), ByteSlice(channelStart, channel.count))
                }
            }
        }
    }

    /// The payload of a message as a value.
    func decode<M: NotifyCenter.Message>(_ type: M.Type, at index: Int) throws(NotifyError) -> M {
        guard isShared.load(ordering: .relaxed) else { return try decodeAnew(type, at: index) }
        let key = DecodingKey(index: index, type: ObjectIdentifier(type))
        // Observers come at the same time: those who wait for the lock find it done.
        return try decoded.withLock { decoded throws(NotifyError) -> M in
            switch decoded[key] {
            case .value(let value as M): return value
            case .failure(let error): throw error
            default: break
            }
            do throws(NotifyError) {
                let value = try decodeAnew(type, at: index)
                decoded[key] = .value(value)
                return value
            } catch {
                decoded[key] = .failure(error)
                throw error
            }
        }
    }

    private func decodeAnew<M: NotifyCenter.Message>(_ type: M.Type, at index: Int) throws(NotifyError) -> M {
        let fields = messages[index]
        return try PayloadCoder.decode(type, from: data(fields.payload)) { text(fields.channel) }
    }
}

extension MessageFields {
    fileprivate func moved(from old: Int, to new: Int) -> MessageFields {
        func move(_ range: ByteRange) -> ByteRange {
            range.isAbsent ? range : ByteRange(Int(range.start) - old + new, Int(range.end) - old + new)
        }
        var copy = self
        copy.line = move(line)
        copy.channel = move(channel)
        copy.type = move(type)
        copy.subject = move(subject)
        copy.time = move(time)
        copy.payload = move(payload)
        return copy
    }
}

extension NotifyCenter.RawMessage: FeedMessage {
    var sequence: UInt64 { fields.seq }
    var topic: FeedTopic { FeedTopic(channel: channel, subject: subject) }

    func isOnSameChannel(as other: NotifyCenter.RawMessage) -> Bool {
        batch.areEqual(fields.channel, other.batch, other.fields.channel)
    }
}

extension NotifyCenter.MessageInfo {
    init(batch: MessageBatch, fields: MessageFields) {
        let timestamp = batch.text(fields.time)
        self.init(
            sequence: fields.seq, position: fields.pos, epoch: batch.epoch,
            time: Timestamps.date(timestamp) ?? Date(timeIntervalSince1970: 0), timestamp: timestamp,
            subject: fields.subject.isAbsent ? nil : NotifyCenter.Subject(trusted: batch.text(fields.subject)),
            sender: NotifyCenter.Sender(client: fields.client, pid: fields.pid, uid: fields.uid),
            isReplay: fields.isReplay, isRetained: fields.isRetained, priority: NotifyCenter.Priority(fields.priority))
    }
}
