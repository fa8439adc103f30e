// Channels to offer: those of a daemon that is running, and for a pattern what stands for several of them.

import Notify

/// Asks a running daemon for names.
struct ChannelNames {
    private var options: GlobalOptions?
    private let typed: String
    private let isPattern: Bool
    private let isPost: Bool

    init(_ outlook: Outlook, typed: String) {
        options = outlook.options
        isPattern = outlook.place == .word(.pattern)
        isPost = outlook.isPost
        self.typed = typed
        if case .socket(let path) = outlook.options?.place {
            options?.place = .socket(Self.expanded(path, environment: Terminal.environment))
        }
    }

    /// A shell would have put something in the place of `~` or a variable by now.
    static func expanded(_ path: String, environment: (String) -> String?) -> String {
        let end = path.firstIndex(of: "/") ?? path.endIndex
        let start = path[..<end]
        let name: Substring
        switch start {
        case "~": name = "HOME"
        case _ where start.hasPrefix("${") && start.hasSuffix("}"): name = start.dropFirst(2).dropLast()
        case _ where start.hasPrefix("$"): name = start.dropFirst()
        default: return path
        }
        return environment(String(name)).map { $0 + path[end...] } ?? path
    }

    /// Nothing, if no daemon is running or something is wrong.
    func candidates(_ session: Session) async -> [Candidate] {
        guard let options, let socket = RunningDaemon().socket(of: options.sockets) else { return [] }
        var session = session
        session.options = options
        session.options.place = .socket(socket)
        let center = session.makeCenter()
        guard let listing = try? await center.channels(matching: question) else { return [] }
        return Self.candidates(
            listing.elements.map(\.channel.rawValue), typed: typed, isPattern: isPattern, isPost: isPost)
    }

    /// Only what can begin with the tokens that are there already.
    private var question: NotifyCenter.Pattern? {
        guard let dot = typed.lastIndex(of: ".") else { return nil }
        return NotifyCenter.Pattern(rawValue: typed[...dot] + ">")
    }

    static func candidates(
        _ channels: [String], typed: String, isPattern: Bool, isPost: Bool
    ) -> [Candidate] {
        // The daemon's own are offered to those who ask for them.
        let names =
            channels.filter {
                $0.utf8.starts(with: typed.utf8) && (!$0.hasPrefix("$") || typed.hasPrefix("$") && !isPost)
            }
            .sorted()
        return (isPattern ? patterns(names, typed) : []) + names.map { Candidate(text: $0, help: "channel") }
    }

    /// `shop.>` where several channels are below `shop`.
    private static func patterns(_ names: [String], _ typed: String) -> [Candidate] {
        var counts: [String: Int] = [:]
        for name in names {
            guard let dot = name[name.index(name.startIndex, offsetBy: typed.count)...].firstIndex(of: ".") else {
                continue
            }
            counts[name[...dot] + ">", default: 0] += 1
        }
        // What has been typed up to a dot is a place to stop, too.
        if typed.hasSuffix("."), names.count > 1 { counts[typed + ">"] = names.count }
        return counts.filter { $0.value > 1 }.sorted { $0.key < $1.key }
            .map { Candidate(text: $0.key, help: "\($0.value) channels") }
    }
}
