// A message is a value that another process can read. What is not, the compiler refuses.

import Notify

// An object has an identity, and somebody may change it meanwhile.
final class CartObject: NotifyCenter.Message {
    static let channel: NotifyCenter.Channel = "shop.cart"
    // error: stored property 'itemCount' of 'Sendable'-conforming class 'CartObject' is mutable
    var itemCount = 0
}

// Nor may a value carry one.
final class Model: Codable {
    var name = ""
}

struct CartWithModel: NotifyCenter.Message {
    static let channel: NotifyCenter.Channel = "shop.cart"
    // error: stored property 'model' of 'Sendable'-conforming struct 'CartWithModel' has non-Sendable type 'Model'
    var model: Model
}

// JSON has no word for Any, and no receiver could know what to do with it.
// error: type 'UserInfo' does not conform to protocol 'Decodable'
// error: type 'UserInfo' does not conform to protocol 'Encodable'
struct UserInfo: NotifyCenter.Message {
    static let channel: NotifyCenter.Channel = "shop.cart"
    // error: stored property 'details' of 'Sendable'-conforming struct 'UserInfo' contains non-Sendable type 'Any'
    var details: [String: Any]
}

// Two programs never share module names: the channel is written out.
// error: type 'Nameless' does not conform to protocol 'NotifyCenter.Message'
struct Nameless: NotifyCenter.Message {
    var itemCount = 0
}

struct Cart: NotifyCenter.Message {
    static let channel: NotifyCenter.Channel = "shop.cart"
    var itemCount = 0
}

func misposts(_ center: NotifyCenter, name: String) async throws {
    // error: requires that 'Int' conform to 'NotifyCenter.Message'
    try await center.post(5)
    // error: cannot convert value of type 'Int' to expected argument type 'NotifyCenter.Subject'
    try await center.post(Cart(), subject: 42)
    // Text that comes from outside is checked first, with init(validating:).
    // error: cannot convert value of type 'String' to expected argument type 'NotifyCenter.Subject'
    try await center.post(Cart(), subject: name)
    // error: cannot convert value of type 'String' to expected argument type 'NotifyCenter.Channel'
    try await center.post(payload: [1], to: name)
    let pattern: NotifyCenter.Pattern = "shop.>"
    // error: cannot convert value of type 'NotifyCenter.Pattern' to expected argument type 'NotifyCenter.Channel'
    try await center.post(payload: [1], to: pattern)
    // error: cannot convert value of type 'String' to expected argument type '[NotifyCenter.Pattern]'
    _ = center.rawEvents(matching: "shop.>")
    // error: type 'Int.Type' cannot conform to 'NotifyCenter.MessageIdentifier'
    _ = center.messages(for: Int.self)
}
