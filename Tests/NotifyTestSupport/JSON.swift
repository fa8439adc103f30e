// A line of the wire as a test looks at it. Foundation's decoder is no judge of what is valid (it is lax): tests that
// are about validity look at the bytes.

import Foundation

package enum JSON: Equatable, Sendable, CustomStringConvertible {
    case null
    case bool(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    /// The value of a line; a line that is no JSON shows as `.string("not JSON: …")`, which no expectation meets.
    package init(line: some Collection<UInt8>) {
        let data = Data(line)
        if let value = try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed) {
            self.init(value)
        } else {
            self = .string("not JSON: \(String(decoding: data, as: UTF8.self))")
        }
    }

    private init(_ value: Any) {
        switch value {
        case let text as String: self = .string(text)
        case let members as [String: Any]: self = .object(members.mapValues { JSON($0) })
        case let elements as [Any]: self = .array(elements.map { JSON($0) })
        case let number as NSNumber: self.init(number)
        default: self = .null
        }
    }

    private init(_ number: NSNumber) {
        switch number.objCType.pointee {
        case CChar(UInt8(ascii: "c")): self = .bool(number.boolValue)
        case CChar(UInt8(ascii: "Q")): self = .unsigned(number.uint64Value)
        case CChar(UInt8(ascii: "d")): self = .number(number.doubleValue)
        default: self = .integer(number.int64Value)
        }
    }

    package init(_ text: String) { self.init(line: Array(text.utf8)) }

    /// The member of an object; null when there is none.
    package subscript(key: String) -> JSON {
        if case .object(let members) = self { members[key] ?? .null } else { .null }
    }

    package subscript(index: Int) -> JSON {
        if case .array(let elements) = self, elements.indices.contains(index) { elements[index] } else { .null }
    }

    package var keys: Set<String> {
        if case .object(let members) = self { Set(members.keys) } else { [] }
    }

    package var elements: [JSON] {
        if case .array(let elements) = self { elements } else { [] }
    }

    package var int: Int? {
        if case .integer(let value) = self { Int(value) } else { nil }
    }

    package var text: String? {
        if case .string(let value) = self { value } else { nil }
    }

    package var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    package var op: String? { self["op"].text }
    package var code: String? { self["code"].text }
    package var message: String { self["message"].text ?? "" }

    package var description: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .unsigned(let value): "\(value)"
        case .number(let value): "\(value)"
        case .string(let value): "\"\(value)\""
        case .array(let elements): "[" + elements.map(\.description).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.sorted { $0.key < $1.key }.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
        }
    }
}
