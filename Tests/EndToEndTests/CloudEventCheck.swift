// What CloudEvents 1.0.2 and its JSON format ask of an event, as a judge: the required attributes and non-empty strings of
// the published JSON schema, and, beyond it, what only the text says: names, types and ranges of all attributes.

import NotifyTestSupport

enum CloudEventCheck {
    /// What is wrong with the event; nothing, if it is one.
    static func faults(of line: String) -> [String] {
        guard case .object(let members) = JSON(line) else { return ["not an object: \(line)"] }
        var faults: [String] = []
        func demand(_ holds: Bool, _ text: String) { if !holds { faults.append(text) } }
        for name in ["id", "source", "specversion", "type"] {
            demand(members[name]?.text?.isEmpty == false, "\(name) is no string, or empty")
        }
        for name in ["subject", "dataschema", "datacontenttype", "time"] where members[name] != nil {
            demand(members[name]?.text?.isEmpty == false, "\(name) is no string, or empty")
        }
        demand(members["specversion"]?.text == "1.0", "specversion")
        demand(members["source"]?.text?.wholeMatch(of: absoluteURI) != nil, "source is no absolute URI")
        demand(members["time"]?.text.map { $0.wholeMatch(of: timestamp) != nil } ?? true, "time is not of RFC 3339")
        demand(
            members["datacontenttype"]?.text.map { $0.wholeMatch(of: /[a-z]+\/([a-z.]+\+)?json/) != nil } ?? true,
            "the data is JSON, its type says something else")
        demand(members["data_base64"] == nil || members["data"] == nil, "data comes twice")
        for (name, value) in members where name != "data" {
            demand(name.wholeMatch(of: /[a-z0-9]{1,20}/) != nil, "'\(name)' is no name for an attribute")
            demand(isAttribute(value), "\(name): \(value) is none of the types that an attribute may have")
        }
        // In a string no quotation mark stands without a backslash.
        let names = line.prefix(upTo: line.firstRange(of: #","data":"#)?.lowerBound ?? line.endIndex)
            .matches(of: /"([^"\\]*)":/).map(\.1)
        demand(Set(names).count == names.count, "an attribute stands twice")
        return faults
    }

    private static func isAttribute(_ value: JSON) -> Bool {
        switch value {
        case .bool: true
        case .integer(let number): Int32(exactly: number) != nil
        case .string(let text): text.unicodeScalars.allSatisfy(isAllowed)
        default: false
        }
    }

    /// Neither a control character nor a noncharacter.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        !(0x00...0x1F).contains(scalar.value) && !(0x7F...0x9F).contains(scalar.value)
            && !(0xFDD0...0xFDEF).contains(scalar.value) && ![0xFFFE, 0xFFFF].contains(scalar.value & 0xFFFF)
    }

    /// RFC 3986, of the form with a host.
    nonisolated(unsafe) private static let absoluteURI =
        /[a-z][a-z0-9+.-]*:\/\/([A-Za-z0-9._~!$&'()*+,;=:-]|%[0-9A-F]{2})+(\/([A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-F]{2})*)*(\?([A-Za-z0-9._~!$&'()*+,;=:@\/?-]|%[0-9A-F]{2})*)?/

    nonisolated(unsafe) private static let timestamp =
        /[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})/
}
