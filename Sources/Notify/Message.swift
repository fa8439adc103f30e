// What a program declares to post and to observe: a Codable value that names its channel.

extension NotifyCenter {
    /// A typed message: any `Codable & Sendable` value that names the channel it belongs to.
    ///
    /// ```swift
    /// struct CartDidChange: NotifyCenter.Message {
    ///     static let channel: NotifyCenter.Channel = "shop.cart"
    ///     var itemCount: Int
    /// }
    /// ```
    public protocol Message: Codable, Sendable {
        /// The channel. It has no default on purpose: two programs never share module names.
        static var channel: Channel { get }
        /// Names the payload's shape on the wire; the bare type name unless the type says otherwise.
        static var type: String { get }
    }

    /// Lets a message type be named by a static member: `for: .cartDidChange`.
    ///
    /// ```swift
    /// extension NotifyCenter.MessageIdentifier
    /// where Self == NotifyCenter.BaseMessageIdentifier<CartDidChange> {
    ///     static var cartDidChange: Self { .init() }
    /// }
    /// ```
    public protocol MessageIdentifier<MessageType>: Sendable {
        /// The message type that is meant.
        associatedtype MessageType: NotifyCenter.Message
    }

    /// The identifier of a message type.
    public struct BaseMessageIdentifier<MessageType: NotifyCenter.Message>: MessageIdentifier {
        /// Makes an identifier.
        public init() {}
    }
}

extension NotifyCenter.Message {
    /// The bare type name.
    public static var type: String { String(describing: Self.self) }
}
