// Who listens to what: the subscriptions on the wire, and the consumers that share them. Pure, and generic over the
// consumer.
//
// A subscription lives from its first consumer to its last, whatever happens to the connection meanwhile.

import NotifyWire

struct SubscriptionTable<Consumer: Sendable>: Sendable {
    /// What a subscription asks for. Those with a replay or a group are never shared: `solo` tells them apart.
    struct Key: Hashable, Sendable {
        var pattern: NotifyCenter.Pattern
        var type: String?
        var subject: NotifyCenter.Subject?
        var fromUID: UInt32?
        var echo = true
        var replay = NotifyCenter.Replay.none
        var buffer = NotifyCenter.BufferPolicy.standard
        /// Milliseconds.
        var minimumInterval: UInt64?
        var group: String?
        /// Whether the consumer hears after each reconnect that what came meanwhile is through, as it does at the beginning.
        var tellsEveryLive = false
        var solo: UInt64 = 0

        /// What makes two subscriptions the same one. With the policy `newest` that is not the size: a consumer whose own
        /// buffer is smaller may sit at one that keeps more, and is told of the same losses.
        fileprivate var shared: Key {
            var key = self
            if buffer.kind == .newest { key.buffer = .standard }
            return key
        }
    }

    /// A consumer's place at a subscription.
    struct Seat: Sendable {
        var id: UInt64
        var consumer: Consumer
        /// Patterns that this consumer listens to by earlier seats: what matches them comes from there.
        var earlier: [NotifyCenter.Pattern]
        /// Messages up to here were posted before the seat was taken.
        var after: UInt64
        /// Whether the connection was lost since the seat was taken and is not back yet.
        var isInterrupted: Bool
    }

    struct Entry: Sendable {
        let number: UInt64
        let key: Key
        var seats: [Seat] = []
        /// Whether the subscription was sent on the present connection.
        var isSent = false
        /// Whether the daemon has accepted it once, on whatever connection.
        var wasAccepted = false
        /// Whether the daemon could not take it back on the present connection, and is asked again later.
        var isRefused = false
        /// Whether it has got what it began with: the daemon's word that it is there, or all of its replay.
        var hasBegun = false
        /// How far it has got.
        var resume = ResumePoint()
        /// Whether it was sent with the wish to go on behind `resume`.
        var isResumed = false
        /// Replayed messages up to here were delivered before the connection was lost.
        var replayAfter: UInt64 = 0
    }

    private(set) var entries: [UInt64: Entry] = [:]
    private var numbers: [Key: UInt64] = [:]
    private var seatNumbers: [UInt64: [UInt64]] = [:]
    private var nextNumber: UInt64 = 1

    var isEmpty: Bool { entries.isEmpty }

    /// The numbers of all subscriptions, oldest first.
    var allNumbers: [UInt64] { entries.keys.sorted() }

    /// Takes a seat at the subscription with this key, and makes it if there is none; answers its number.
    mutating func add(_ key: Key, _ seat: Seat, after position: UInt64) -> (number: UInt64, isNew: Bool) {
        var seat = seat
        let isShareable = key.solo == 0
        if isShareable, let number = numbers[key.shared], isEnough(number, for: key) {
            seat.after = position
            entries[number]?.seats.append(seat)
            seatNumbers[seat.id, default: []].append(number)
            return (number, false)
        }
        let number = nextNumber
        nextNumber += 1
        seat.after = 0
        entries[number] = Entry(number: number, key: key, seats: [seat])
        if isShareable { numbers[key.shared] = number }
        seatNumbers[seat.id, default: []].append(number)
        return (number, true)
    }

    private func isEnough(_ number: UInt64, for key: Key) -> Bool {
        key.buffer.messages <= entries[number]?.key.buffer.messages ?? 0
    }

    /// Gives up all seats of a consumer; answers the subscriptions that nobody sits at any more.
    mutating func remove(_ seat: UInt64) -> [Entry] {
        var empty: [Entry] = []
        for number in seatNumbers.removeValue(forKey: seat) ?? [] {
            guard let index = entries[number]?.seats.firstIndex(where: { $0.id == seat }) else { continue }
            entries[number]?.seats.remove(at: index)
            if let entry = entries[number], entry.seats.isEmpty {
                drop(entry)
                empty.append(entry)
            }
        }
        return empty
    }

    /// Ends one subscription; answers who sat there.
    mutating func end(_ number: UInt64) -> [Seat] {
        guard let entry = entries[number] else { return [] }
        drop(entry)
        for seat in entry.seats {
            seatNumbers[seat.id]?.removeAll { $0 == number }
        }
        return entry.seats
    }

    private mutating func drop(_ entry: Entry) {
        entries[entry.number] = nil
        if numbers[entry.key.shared] == entry.number { numbers[entry.key.shared] = nil }
    }

    mutating func update(_ number: UInt64, _ change: (inout Entry) -> Void) {
        guard entries[number] != nil else { return }
        change(&entries[number]!)
    }

    /// Whether the replays of all subscriptions of a consumer are through.
    func isLive(_ seat: UInt64) -> Bool {
        (seatNumbers[seat] ?? []).allSatisfy { entries[$0]?.hasBegun ?? true }
    }

    /// Each consumer once, in the order of its first seat.
    var consumers: [(id: UInt64, consumer: Consumer)] {
        var seen: Set<UInt64> = []
        var list: [(UInt64, Consumer)] = []
        for number in allNumbers {
            for seat in entries[number]?.seats ?? [] where seen.insert(seat.id).inserted {
                list.append((seat.id, seat.consumer))
            }
        }
        return list.sorted { $0.0 < $1.0 }
    }
}
