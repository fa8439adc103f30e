// One line from the daemon: its text as it came, and its fields.

import Foundation

package struct ReceivedLine: CustomStringConvertible {
    /// Without the newline.
    package let text: String
    private let fields: [String: Any]

    /// - Throws: when the line is not one strict JSON object.
    package init(_ bytes: UnsafeRawBufferPointer) throws {
        let data = Data(bytes)
        text = String(decoding: data, as: UTF8.self)
        guard let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any] else {
            throw RawClient.Failure("not a JSON object: \(text.prefix(200))")
        }
        fields = object
    }

    package var description: String { String(text.prefix(400)) }

    package var op: String { self["op"] ?? "" }
    package var code: String { self["code"] ?? "" }
    package var message: String { self["message"] ?? "" }

    /// The field, if it is there and of this type.
    package subscript<Value>(_ name: String) -> Value? { fields[name] as? Value }

    package func has(_ name: String) -> Bool { fields[name] != nil }

    /// The integer in a field, also one level down (`integer("stats", "clients")`); -1 when there is none.
    package func integer(_ path: String...) -> Int {
        var value: Any? = fields
        for name in path { value = (value as? [String: Any])?[name] }
        return (value as? NSNumber)?.intValue ?? -1
    }

    /// The objects of a list.
    package func list(_ name: String) -> [[String: Any]] { fields[name] as? [[String: Any]] ?? [] }

    /// The bytes of the last field when that is the payload, as they stood in the line.
    package var payload: String {
        guard let range = text.range(of: "\"payload\":") else { return "" }
        return String(text[range.upperBound...].dropLast())
    }
}
