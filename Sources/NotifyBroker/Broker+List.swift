// Answers that are lists, for people and for monitoring. One that would be longer than a line may be, or take too long
// from others, is cut, and says where it goes on: the next question asks for what comes `after`. So each list is in an
// order that its elements do not change, and an element that stays is told once.

import NotifyWire

extension Broker {
    /// Elements of one answer at the most: none is so short that more of them fit.
    var listedAtOnce: Int { max(1, limits.lineBytes / 64) }

    /// No element of a list is longer: three names of 255 bytes, escaped, and some numbers.
    static var longestElement: Int { 6144 }

    /// Writes the answer with the array `name`.
    ///
    /// - Parameters:
    ///   - rest: where the list goes on after these elements; nil: these are all.
    ///   - place: the same after a single one.
    mutating func list<Element>(
        _ name: StaticString, _ request: Request, for peer: PeerRef, _ elements: [Element], rest: String?,
        place: (Element) -> String, write: (inout Broker, Element) -> Void
    ) {
        guard request.wantsReply else { return }
        let start = outbox.replies.count
        let limit = start + limits.lineBytes - Self.longestElement
        ControlLine.beginReply(to: &outbox.replies, id: request.id)
        outbox.replies.append(",\"")
        outbox.replies.append(name)
        outbox.replies.append("\":[")
        let workBefore = work
        var last: Element?
        var next = rest
        for element in elements {
            if let last, outbox.replies.count > limit || work - workBefore > Limits.listWork {
                next = place(last)
                break
            }
            outbox.replies.append(last == nil ? "{" : ",{")
            write(&self, element)
            outbox.replies.append("}")
            last = element
        }
        outbox.replies.append("]")
        if let next {
            outbox.replies.append(",\"truncated\":true")
            ControlLine.appendMember(to: &outbox.replies, "next", text: next)
        }
        ControlLine.endReply(to: &outbox.replies)
        sayAnswer(from: start, to: peer)
    }

    mutating func member(_ name: StaticString, _ value: UInt64, first: Bool = false) {
        outbox.replies.append(first ? "\"" : ",\"")
        outbox.replies.append(name)
        outbox.replies.append("\":")
        outbox.replies.append(value)
    }

    mutating func member(_ name: StaticString, _ value: Int) { member(name, UInt64(max(0, value))) }

    mutating func member(_ name: StaticString, text: ByteSlice, first: Bool = false) {
        outbox.replies.append(first ? "\"" : ",\"")
        outbox.replies.append(name)
        outbox.replies.append("\":\"")
        outbox.replies.append(escaped: text)
        outbox.replies.append("\"")
    }

    mutating func member(_ name: StaticString, text: [UInt8]) {
        text.withUnsafeBufferPointer { bytes in
            if let start = bytes.baseAddress { member(name, text: ByteSlice(start, bytes.count)) }
        }
    }

    mutating func member(_ name: StaticString, _ flag: Bool) {
        outbox.replies.append(",\"")
        outbox.replies.append(name)
        outbox.replies.append(flag ? "\":true" : "\":false")
    }

    /// The wall clock's time of what happened at this moment of the other one, if nobody has set it since.
    mutating func member(_ name: StaticString, monotonic: UInt64) {
        let wall = now.wall - Int64(clamping: now.monotonic - min(monotonic, now.monotonic))
        ControlLine.appendMember(to: &outbox.replies, name, text: timestamp.format(wall))
    }

    // MARK: What is asked for

    /// Whether `match` is a pattern, or absent; false after a refusal was written.
    mutating func hasGoodMatch(_ request: Request, _ peer: PeerRef) -> Bool {
        guard request.present.contains(.match), let fault = PatternName.fault(in: request.match) else { return true }
        refuse(.invalidPattern(request.match, fault), request.id, peer)
        return false
    }

    static func isMatch(_ request: Request, _ name: ByteSlice) -> Bool {
        !request.present.contains(.match) || request.match.equals(name) || PatternName.matches(request.match, name)
    }

    /// The numbers in `after`, joined by points; as many zeros if it is absent, nil after a refusal was written.
    mutating func numbers(after request: Request, count: Int, _ peer: PeerRef) -> [UInt64]? {
        guard request.present.contains(.after) else { return [UInt64](repeating: 0, count: count) }
        let numbers = request.after.text.split(separator: ".", omittingEmptySubsequences: false).map { UInt64($0) }
        if numbers.count == count, !numbers.contains(nil) { return numbers.compactMap(\.self) }
        refuse(.invalidField(.after, "expected what 'next' of the answer before said"), request.id, peer)
        return nil
    }
}
