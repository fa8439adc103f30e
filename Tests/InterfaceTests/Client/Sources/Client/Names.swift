// Channels, patterns and subjects: from literals, from outside, and as JSON.

import Foundation
import Notify

func channels(_ text: String) throws -> Set<NotifyCenter.Channel> {
    let literal: NotifyCenter.Channel = "shop.cart"
    let checked = try NotifyCenter.Channel(validating: text)
    let maybe = NotifyCenter.Channel(rawValue: text)
    let data = try JSONEncoder().encode([literal, checked])
    print(literal.rawValue, checked.description, maybe == literal)
    return try JSONDecoder().decode(Set<NotifyCenter.Channel>.self, from: data)
}

func patterns(_ text: String) throws -> Set<NotifyCenter.Pattern> {
    let literal: NotifyCenter.Pattern = "shop.*"
    let checked = try NotifyCenter.Pattern(validating: text)
    let maybe = NotifyCenter.Pattern(rawValue: text)
    print(
        literal.rawValue, checked.description, maybe == literal,
        NotifyCenter.Pattern("shop.cart" as NotifyCenter.Channel))
    return [literal, checked]
}

func subjects(_ text: String) throws -> Set<NotifyCenter.Subject> {
    let literal: NotifyCenter.Subject = "cart-42"
    let checked = try NotifyCenter.Subject(validating: text)
    let maybe = NotifyCenter.Subject(rawValue: text)
    let data = try JSONEncoder().encode([literal, checked])
    print(literal.rawValue, checked.description, maybe == literal)
    return try JSONDecoder().decode(Set<NotifyCenter.Subject>.self, from: data)
}
