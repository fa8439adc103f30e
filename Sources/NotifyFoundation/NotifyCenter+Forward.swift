// Bridges to a classic NotificationCenter, for programs that move from one to the other, one observer at a time. A product
// of its own: a program that has no classic notifications does not load all of Foundation for them.

public import Foundation
public import Notify

extension NotifyCenter {
    /// Posts the messages of all channels that match a pattern as classic notifications.
    ///
    /// ```swift
    /// import NotifyFoundation
    ///
    /// let token = center.forward("shop.>", to: .default)
    /// // elsewhere, as ever:
    /// let name = Notification.Name("shop.cart")
    /// let observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: .main) { notification in
    ///     print(notification.userInfo?["itemCount"] ?? 0)
    /// }
    /// ```
    ///
    /// A notification's name is the channel, its object the subject (a `String`, or nil), its userInfo the payload if that is
    /// a JSON object; another value stands in it under the key ``payloadKey``, and `null` makes no userInfo. They are posted
    /// one at a time, in the daemon's order, off the main thread: an observer with a `queue` gets them there.
    ///
    /// What ``forward(_:from:to:)`` has taken from the same notification center does not come back to it, so both may be
    /// used at once, also in several programs. Only classic notifications are posted, never Foundation's typed messages.
    ///
    /// - Returns: the token that keeps the bridge: keep it, or store it in a collection.
    public func forward(_ pattern: Pattern, to center: NotificationCenter) -> ObservationToken {
        let bridge = Bridge.between(self, center)
        return observe(pattern) { event in
            switch event {
            case .message(let message):
                guard await !bridge.hasSent(message) else { return }
                bridge.post(message)
            case .gap(let gap) where gap.reason == .epoch: bridge.forget()
            default: break
            }
        }
    }

    /// Posts the classic notifications of a name as messages to a channel.
    ///
    /// ```swift
    /// import NotifyFoundation
    ///
    /// let token = center.forward(Notification.Name("CartDidChange"), from: .default, to: "shop.cart")
    /// NotificationCenter.default.post(
    ///     name: Notification.Name("CartDidChange"), object: nil, userInfo: ["itemCount": 2])
    /// ```
    ///
    /// The payload is the notification's userInfo as a JSON object, or `null` if there is none; the subject is its object, if
    /// that is a `String`. Messages have no type: observers of every type whose payloads look so get them. Nobody waits:
    /// what cannot be written as JSON, or does not fit into the bounded send buffer, goes to ``diagnostics``.
    ///
    /// What ``forward(_:to:)`` has posted to the same notification center does not go back, so both may be used at once.
    ///
    /// - Returns: the token that keeps the bridge: keep it, or store it in a collection.
    public func forward(
        _ name: Notification.Name, from center: NotificationCenter, to channel: Channel
    ) -> ObservationToken {
        let bridge = Bridge.between(self, center)
        let observer = ClassicObserver(center, name) { notification in bridge.send(notification, to: channel) }
        return ObservationToken { observer.cancel() }
    }

    /// Where a payload that is no JSON object stands in the userInfo of a forwarded notification.
    public static let payloadKey = "payload"
}
