// Whom a rule or a quota is about, as a file says it: `uid`, `gid`, or `user` and `group` by their names, and `unit`. What
// stands together has to hold together.

import FoundationEssentials
import Glibc
import NotifyBroker

struct WhoReader {
    static let names = ["user", "uid", "group", "gid", "unit"]

    var names: NameService

    /// The selector, and its members as they would stand in a file.
    func read(_ container: KeyedDecodingContainer<AnyKey>) throws -> (Selector, [String]) {
        var selector = Selector()
        var members: [String] = []
        for (name, number, path, lookUp) in [
            ("user", "uid", \Selector.uid, names.user), ("group", "gid", \Selector.gid, names.group),
        ] {
            let (byName, byNumber) = (AnyKey(name), AnyKey(number))
            if container.contains(byName) {
                if container.contains(byNumber) {
                    throw ConfigurationFile.wrong(
                        byNumber, in: container, "found '\(name)' and '\(number)', expected one of them")
                }
                let text = try container.decode(String.self, forKey: byName)
                selector[keyPath: path] = try resolve(name, text, number, lookUp(text), byName, container)
                members.append("\(name): \(text.quoted)")
            } else if container.contains(byNumber) {
                // The highest stands for "no user".
                let value = try ConfigurationFile.integer(container, byNumber, in: 0...Int(UInt32.max - 1))
                selector[keyPath: path] = UInt32(value)
                members.append("\(number): \(value)")
            }
        }
        let key = AnyKey("unit")
        if container.contains(key) {
            let unit = try container.decode(String.self, forKey: key)
            guard Self.isUnit(unit) else {
                throw ConfigurationFile.wrong(
                    key, in: container,
                    "found \(unit.cited), expected the whole name of a unit, such as \"shop.service\"")
            }
            selector.unit = unit
            members.append("unit: \(unit.quoted)")
        }
        return (selector, members)
    }

    private func resolve(
        _ kind: String, _ text: String, _ number: String, _ answer: NameService.Answer, _ key: AnyKey,
        _ container: KeyedDecodingContainer<AnyKey>
    ) throws -> UInt32 {
        switch answer {
        case .found(let id): return id
        case .unknown:
            throw ConfigurationFile.wrong(
                key, in: container,
                "found \(text.cited), expected a \(kind) that this system has, or a number as '\(number)'"
            )
        case .failed(let error):
            throw ConfigurationFile.wrong(
                key, in: container, "the system cannot say who \(text.cited) is: \(String(cString: strerror(error)))")
        }
    }

    /// systemd.unit(5): what processes can be in, with its type.
    private static func isUnit(_ name: String) -> Bool {
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex, name.utf8.count <= 255 else { return false }
        return ["service", "scope", "socket", "mount", "swap", "slice"].contains(
            String(name[name.index(after: dot)...]))
            && name.utf8.allSatisfy { byte in
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
                    || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || Array(":-_.\\@".utf8).contains(byte)
            }
    }
}
