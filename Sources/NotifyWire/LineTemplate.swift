// A message line up to its payload, as it was written last. The next message of the same kind has other numbers and
// another time in the same places: they are replaced, mostly by counting one digit up, and the rest is copied.

package struct LineTemplate: ~Copyable {
    private var text = ByteLog(capacity: 1024)
    private var sequence: UInt64 = 0
    private var position: UInt64 = 0
    private var wall: Int64 = 0
    /// Behind the last digits of `seq` and `pos`.
    private var sequenceEnd = 0
    private var positionEnd = 0
    private var timeStart = 0

    package init() {}

    /// Begins anew with this message, and appends its line.
    package mutating func append(
        to log: inout ByteLog, sub: UInt32, _ content: MessageLine.Content, wall: Int64
    ) {
        text.clear(keeping: 4096)
        (sequence, position, self.wall) = (content.sequence, content.position, wall)
        let places = MessageLine.appendBeginning(to: &text, sub: sub, content)
        (sequenceEnd, positionEnd, timeStart) = (places.sequenceEnd, places.positionEnd, places.timeStart)
        append(to: &log, payload: content.payload)
    }

    /// Appends the line of the message with these numbers. False, and nothing is appended, if they are not the next ones
    /// or need more digits: the template must be written anew.
    package mutating func appendNext(
        to log: inout ByteLog, sequence: UInt64, position: UInt64, wall: Int64, payload: ByteSlice,
        time: (Int64) -> ByteSlice
    ) -> Bool {
        guard sequence == self.sequence &+ 1, position == self.position &+ 1, countUp(sequenceEnd),
            countUp(positionEnd)
        else { return false }
        (self.sequence, self.position) = (sequence, position)
        if wall != self.wall {
            self.wall = wall
            let time = time(wall)
            (text.base + timeStart).update(from: time.base, count: time.count)
        }
        append(to: &log, payload: payload)
        return true
    }

    /// Appends the line of the message after the last one, of the same moment, if it has at most `limit` bytes. False, and
    /// nothing is appended, if it has more, or its numbers need more digits.
    @inline(__always)
    package mutating func appendAgain(to log: inout ByteLog, payload: ByteSlice, atMost limit: Int) -> Bool {
        guard text.count &+ payload.count &+ 2 <= limit else { return false }
        guard countUp(sequenceEnd), countUp(positionEnd) else {
            // The digits are spoilt: no message is the one after this.
            sequence = .max
            return false
        }
        sequence &+= 1
        position &+= 1
        append(to: &log, payload: payload)
        return true
    }

    /// Whether the last line was that of this message.
    package func stands(at sequence: UInt64, _ position: UInt64) -> Bool {
        self.sequence == sequence && self.position == position
    }

    /// Adds one to the decimal number that ends before `end`; false if it is all nines.
    @inline(__always)
    private func countUp(_ end: Int) -> Bool {
        let last = text.base + (end - 1)
        guard last.pointee == UInt8(ascii: "9") else {
            last.pointee += 1
            return true
        }
        return carry(last)
    }

    private func carry(_ last: UnsafeMutablePointer<UInt8>) -> Bool {
        var digit = last
        while digit.pointee == UInt8(ascii: "9") {
            digit.pointee = UInt8(ascii: "0")
            digit -= 1
        }
        // Before the first digit stands the colon behind the name.
        guard digit.pointee != UInt8(ascii: ":") else { return false }
        digit.pointee += 1
        return true
    }

    /// Appends the whole line, its newline included.
    @inline(__always)
    private func append(to log: inout ByteLog, payload: ByteSlice) {
        log.append(atMost: text.count &+ payload.count &+ 2) { line in
            line.put(text.slice)
            line.put(payload)
            line.put("}\n")
        }
    }
}
