// One file of the configuration: JSON5 as Foundation reads it, every key known, every value in its range.

import FoundationEssentials
import NotifyBroker
import NotifyTransport

struct ConfigurationFile: Decodable {
    /// What this file sets, applied over what was there.
    var settings: [(inout Configuration) -> Void] = []

    private enum Key: String, CaseIterable {
        case socket, mode
        case logLevel = "log_level"
        case spin = "spin_us"
        case stateDirectory = "state_directory"
        case limits, channels, access, quotas
    }

    init(from decoder: any Decoder) throws {
        guard let source = decoder.userInfo[.source] as? ConfigurationSource else {
            preconditionFailure("`parse` says whose file it is")
        }
        let container = try decoder.container(keyedBy: AnyKey.self)
        for key in try Self.keys(of: container, known: Key.allCases.map(\.rawValue)) {
            switch Key(rawValue: key.stringValue) {
            case nil: break
            case .socket: try readSocket(container, key)
            case .mode: try readMode(container, key)
            case .logLevel: try readLogLevel(container, key)
            case .spin:
                let value = try Self.integer(container, key, in: Configuration.spinRange)
                settings.append { $0.spinMicroseconds = value }
            case .stateDirectory: try readStateDirectory(container, key)
            case .limits: try readLimits(container.nestedContainer(keyedBy: AnyKey.self, forKey: key))
            case .channels: try readChannels(container, key)
            case .quotas: try readQuotas(container, key, source)
            case .access: try readAccess(container, key, source)
            }
        }
    }

    private mutating func readSocket(_ container: KeyedDecodingContainer<AnyKey>, _ key: AnyKey) throws {
        let path = try container.decode(String.self, forKey: key)
        guard path.hasPrefix("/") || path.hasPrefix("@") && path.count > 1 else {
            throw Self.wrong(key, in: container, "found \(path.cited), expected an absolute path or \"@name\"")
        }
        do throws(SocketAddress.Fault) {
            _ = try SocketAddress(path)
        } catch {
            throw Self.wrong(key, in: container, error.description)
        }
        settings.append { $0.socket = path }
    }

    private mutating func readStateDirectory(_ container: KeyedDecodingContainer<AnyKey>, _ key: AnyKey) throws {
        let path = try container.decode(String.self, forKey: key)
        guard path.hasPrefix("/"), !path.utf8.contains(0) else {
            throw Self.wrong(key, in: container, "found \(path.cited), expected an absolute path")
        }
        settings.append { $0.stateDirectory = path }
    }

    private mutating func readMode(_ container: KeyedDecodingContainer<AnyKey>, _ key: AnyKey) throws {
        let text = try container.decode(String.self, forKey: key)
        guard 3...4 ~= text.count, let mode = UInt32(text, radix: 8), mode <= 0o777, text.allSatisfy(\.isNumber) else {
            throw Self.wrong(key, in: container, "found \(text.cited), expected octal rights such as \"0600\"")
        }
        settings.append { $0.mode = mode }
    }

    private mutating func readLogLevel(_ container: KeyedDecodingContainer<AnyKey>, _ key: AnyKey) throws {
        let name = try container.decode(String.self, forKey: key)
        guard let level = Log.Level(name) else {
            let levels = Log.Level.allCases.map(\.name).joined(separator: ", ")
            throw Self.wrong(key, in: container, "found \(name.cited), expected one of \(levels)")
        }
        settings.append { $0.logLevel = level }
    }

    private mutating func readLimits(_ container: KeyedDecodingContainer<AnyKey>) throws {
        for (limit, key) in try Self.limits(of: container, among: Configuration.limitKeys) {
            let value = try Self.integer(container, key, in: limit.range)
            settings.append { $0.limits[keyPath: limit.path] = value }
        }
    }

    static func integer(
        _ container: KeyedDecodingContainer<AnyKey>, _ key: AnyKey, in range: ClosedRange<Int>
    ) throws -> Int {
        let expected = "expected an integer from \(range.lowerBound) to \(range.upperBound)"
        // Foundation of Swift 6.3 traps at some that are no `Int`. A `Double` is exact beyond all bounds that there are.
        let number = try container.decode(Double.self, forKey: key)
        guard let value = Int(exactly: number) else { throw wrong(key, in: container, "found \(number), \(expected)") }
        guard range ~= value else { throw wrong(key, in: container, "found \(value), \(expected)") }
        return value
    }

    /// The keys of an object in the order of the known ones, so that of several faults the same one is told each time:
    /// Foundation's order is another one in each process.
    static func keys(of container: KeyedDecodingContainer<AnyKey>, known: [String]) throws -> [AnyKey] {
        let names = Set(container.allKeys.map(\.stringValue))
        if let unknown = names.subtracting(known).min() {
            let meant = known.nearest(to: unknown).map { "did you mean '\($0)'? There are" } ?? "there are"
            throw wrong(AnyKey(unknown), in: container, "unknown key; \(meant) \(known.joined(separator: ", "))")
        }
        return known.filter(names.contains).map { AnyKey($0) }
    }

    static func limits(
        of container: KeyedDecodingContainer<AnyKey>, among limits: [Configuration.LimitKey]
    ) throws -> [(Configuration.LimitKey, AnyKey)] {
        let keys = try keys(of: container, known: limits.map(\.name))
        return keys.compactMap { key in limits.first { $0.name == key.stringValue }.map { ($0, key) } }
    }

    static func wrong(
        _ key: AnyKey, in container: KeyedDecodingContainer<AnyKey>, _ reason: String
    ) -> DecodingError {
        .dataCorrupted(.init(codingPath: container.codingPath + [key], debugDescription: reason))
    }

    /// Reads the bytes of a file.
    static func parse(_ data: Data, _ source: ConfigurationSource) throws(ConfigurationError) -> ConfigurationFile {
        let file = source.file
        // What Foundation would trap at, or understand in its own way, does not come to it.
        if let reason = EncodingFault.sentence(about: data) ?? SyntaxFault.sentence(about: data) {
            throw ConfigurationError(file: file, key: "", reason: reason)
        }
        if let fault = ValueFault.first(in: data) {
            throw ConfigurationError(file: file, key: fault.path, reason: fault.reason)
        }
        let decoder = JSONDecoder()
        decoder.userInfo[.source] = source
        decoder.allowsJSON5 = true
        do {
            let read = try decoder.decode(ConfigurationFile.self, from: data)
            if let key = RepeatedKey.first(in: data) {
                throw ConfigurationError(
                    file: file, key: key.path, reason: "stands for the second time in line \(key.line)")
            }
            if let line = JSON5Scan.whole(data).doubtfulComment {
                throw ConfigurationError(
                    file: file, key: "",
                    reason: "the comment of line \(line) has U+2028 or U+2029 in it, where one may take it for over")
            }
            return read
        } catch let error as ConfigurationError {
            throw error
        } catch let error as DecodingError {
            throw error.configurationError(file)
        } catch {
            throw ConfigurationError(file: file, key: "", reason: "\(error)")
        }
    }
}

/// Which file is read, and who knows the names in it.
struct ConfigurationSource: Sendable {
    var file: String
    var names: NameService
}

extension CodingUserInfoKey {
    fileprivate static let source = CodingUserInfoKey(rawValue: "source").unsafelyUnwrapped
}

struct AnyKey: CodingKey {
    let stringValue: String
    init(_ name: String) { stringValue = name }
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension DecodingError {
    fileprivate func configurationError(_ file: String) -> ConfigurationError {
        let (context, reason): (Context, String) =
            switch self {
            case .typeMismatch(let type, let context):
                (context, Self.found(context) + "expected \(Self.word(for: type))")
            case .valueNotFound(let type, let context): (context, "found null, expected \(Self.word(for: type))")
            case .keyNotFound(let key, let context): (context, "no '\(key.stringValue)'")
            case .dataCorrupted(let context): (context, context.debugDescription)
            @unknown default: (Context(codingPath: [], debugDescription: ""), "\(self)")
            }
        return ConfigurationError(file: file, key: Self.path(context.codingPath), reason: reason)
    }

    /// As one would write it: `channels[0].pattern`.
    private static func path(_ keys: [any CodingKey]) -> String {
        keys.reduce(into: "") { path, key in
            if let index = key.intValue { return path += "[\(index)]" }
            path += (path.isEmpty ? "" : ".") + key.stringValue.shortened
        }
    }

    /// "found a string, " as far as Foundation tells it in its own sentence.
    private static func found(_ context: Context) -> String {
        let sentence = context.debugDescription.split(separator: " ")
        guard let verb = sentence.firstIndex(of: "found"), let end = sentence.lastIndex(of: "instead."), verb < end
        else { return "" }
        return "found \(sentence[(verb + 1)..<end].joined(separator: " ")), "
    }

    private static func word(for type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a string in quotes"
        case is Double.Type: "an integer"
        case is Bool.Type: "true or false"
        case is [Any].Type: "an array"
        default: "an object"
        }
    }
}
