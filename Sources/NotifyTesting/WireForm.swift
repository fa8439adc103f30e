// How a message looks to other programs.

public import FoundationEssentials
public import Notify

/// A message as other programs see it: what ``NotifyCenter`` would post, without a daemon.
///
/// Compare it with what is written down in your tests, so that a renamed property or another date format is found before
/// a program of last month meets a program of today:
///
/// ```swift
/// let form = try WireForm(of: CartDidChange(itemCount: 2))
/// #expect(form.channel == "shop.cart")
/// #expect(form.type == "CartDidChange")
/// #expect(form.text == #"{"itemCount":2}"#)
/// #expect(try form.message(as: CartDidChange.self).itemCount == 2)
/// ```
public struct WireForm: Sendable, Hashable {
    /// The channel it is posted to.
    public let channel: NotifyCenter.Channel
    /// Its type as it stands on the wire.
    public let type: String
    /// Its payload: one JSON value, on one line.
    public let payload: Data

    /// The form in which a message is posted. Its object members stand in alphabetical order here, so that two forms can
    /// be compared.
    ///
    /// - Throws: ``NotifyError`` with the code `encodingFailed` for what JSON cannot say, as a post would.
    public init<M: NotifyCenter.Message>(of message: M) throws(NotifyError) {
        channel = M.channel
        type = M.type
        payload = Data(try PayloadCoder.encode(message, sortingKeys: true))
    }

    /// The form of a message that another program posts.
    public init(channel: NotifyCenter.Channel, type: String, payload: String) {
        self.channel = channel
        self.type = type
        self.payload = Data(payload.utf8)
    }

    /// The payload as text.
    public var text: String { String(decoding: payload, as: UTF8.self) }

    /// The message that an observer of this type gets.
    ///
    /// - Throws: ``NotifyError`` with the code `decodingFailed` where an observer would skip the message: another
    ///   channel, another type, another shape.
    public func message<M: NotifyCenter.Message>(as type: M.Type = M.self) throws(NotifyError) -> M {
        guard channel == M.channel else {
            throw NotifyError(.decodingFailed, "'\(channel)' is not the channel of \(M.self): '\(M.channel)'")
        }
        guard self.type == M.type else {
            throw NotifyError(.decodingFailed, "the message is of type '\(self.type)', not '\(M.type)'")
        }
        return try PayloadCoder.decode(type, from: payload) { channel.rawValue }
    }
}
