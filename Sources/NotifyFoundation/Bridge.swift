// Both directions between one center and one classic center, and what keeps them from passing the same thing to and fro.
//
// What came from the daemon and is being posted is known by the task that posts it: classic observers are called in there.
// What was sent to the daemon is known by its position when it comes back; until the receipt is there, who wants to know
// waits for it.

import Foundation
import Notify
import NotifyLock

final class Bridge: Sendable {
    private struct Pair: Hashable {
        let outside: ObjectIdentifier
        let inside: ObjectIdentifier
    }

    private struct Weak {
        weak var bridge: Bridge?
    }

    private struct Sent {
        var receipts: [(number: UInt64, receipt: NotifyCenter.PendingReceipt)] = []
        var count: UInt64 = 0
        var positions: Set<UInt64> = []
        /// In the order in which they came, for the oldest to go.
        var order: [UInt64] = []

        mutating func add(_ receipt: NotifyCenter.PendingReceipt) {
            count += 1
            receipts.append((count, receipt))
            if receipts.count > Bridge.limit { receipts.removeFirst(Bridge.limit / 2) }
        }

        mutating func add(_ position: UInt64) {
            guard positions.insert(position).inserted else { return }
            order.append(position)
            guard order.count > Bridge.limit else { return }
            for old in order.prefix(Bridge.limit / 2) { positions.remove(old) }
            order.removeFirst(Bridge.limit / 2)
        }
    }

    /// Posts that are remembered. A message comes back at once, or when a lost connection is made up for.
    private static let limit = 4096

    private static let all = Locked<[Pair: Weak]>([:])

    /// What is being posted at this moment: the bridge, and the name.
    @TaskLocal private static var posting: (bridge: ObjectIdentifier, name: String)?

    private let outside: NotifyCenter
    private let inside: NotificationCenter
    private let sent = Locked(Sent())

    private init(_ outside: NotifyCenter, _ inside: NotificationCenter) {
        self.outside = outside
        self.inside = inside
    }

    deinit {
        let pair = pair
        Self.all.withLock { all in
            if let entry = all[pair], entry.bridge == nil { all[pair] = nil }
        }
    }

    private var pair: Pair { Pair(outside: ObjectIdentifier(outside), inside: ObjectIdentifier(inside)) }

    /// The one bridge between two centers.
    static func between(_ outside: NotifyCenter, _ inside: NotificationCenter) -> Bridge {
        let bridge = Bridge(outside, inside)
        return all.withLock { all in
            if let present = all[bridge.pair]?.bridge { return present }
            all[bridge.pair] = Weak(bridge: bridge)
            return bridge
        }
    }

    // MARK: From the daemon

    /// Whether a message is one that was sent from here.
    func hasSent(_ message: NotifyCenter.RawMessage) async -> Bool {
        for (number, receipt) in sent.withLock({ $0.receipts }) {
            let position = try? await receipt.value.position
            sent.withLock { sent in
                if let position { sent.add(position) }
                sent.receipts.removeAll { $0.number == number }
            }
        }
        let position = message.info.position
        return sent.withLock { $0.positions.contains(position) }
    }

    /// Positions count anew.
    func forget() {
        sent.withLock { sent in (sent.positions, sent.order) = ([], []) }
    }

    func post(_ message: NotifyCenter.RawMessage) {
        let name = message.channel.rawValue
        let notification = Notification(
            name: Notification.Name(name), object: message.subject?.rawValue, userInfo: Self.userInfo(message.payload))
        Self.$posting.withValue((ObjectIdentifier(self), name)) { inside.post(notification) }
    }

    private static func userInfo(_ payload: Data) -> [AnyHashable: Any]? {
        switch try? JSONSerialization.jsonObject(with: payload, options: .fragmentsAllowed) {
        case let object as [String: Any]: object
        case nil, is NSNull: nil
        case let value?: [NotifyCenter.payloadKey: value]
        }
    }

    // MARK: To the daemon

    func send(_ notification: Notification, to channel: NotifyCenter.Channel) {
        if let posting = Self.posting, posting == (ObjectIdentifier(self), notification.name.rawValue) { return }
        do {
            let subject = try (notification.object as? String).map(NotifyCenter.Subject.init(validating:))
            // Noted before it is sent: it may come back at once.
            try outside.submitAtOnce(payload: try Self.payload(notification), to: channel, subject: subject) {
                receipt in
                sent.withLock { $0.add(receipt) }
            }
        } catch {
            outside.refuse(error)
        }
    }

    private static func payload(_ notification: Notification) throws(NotifyError) -> Data {
        guard let userInfo = notification.userInfo else { return Data("null".utf8) }
        guard let object = userInfo as? [String: Any], JSONSerialization.isValidJSONObject(object) else {
            throw NotifyError(
                .encodingFailed, "the userInfo of '\(notification.name.rawValue)' cannot be written as JSON")
        }
        do {
            return try JSONSerialization.data(withJSONObject: object, options: .withoutEscapingSlashes)
        } catch {
            throw NotifyError(
                .encodingFailed, "the userInfo of '\(notification.name.rawValue)' cannot be written as JSON: \(error)",
                cause: error)
        }
    }
}
