// Colours, if they are wanted: with `never` every style is empty text, so nobody has to ask.

/// Paints text for a terminal, or leaves it alone.
struct Style: Sendable, Equatable {
    /// What `--color` says.
    enum Choice: String, Sendable, CaseIterable {
        case auto, always, never
    }

    enum Paint: String, Sendable {
        case dim = "2"
        case bold = "1"
        case channel = "1;36"
        case type = "32"
        case subject = "33"
        case warning = "1;31"
    }

    var isOn: Bool

    static let plain = Style(isOn: false)

    init(isOn: Bool) { self.isOn = isOn }

    /// An option wins over `NO_COLOR`; `auto` wants a terminal that can do it.
    init(_ choice: Choice, isTerminal: Bool, environment: (String) -> String?) {
        isOn =
            switch choice {
            case .always: true
            case .never: false
            case .auto:
                isTerminal && (environment("NO_COLOR") ?? "").isEmpty && environment("TERM") != "dumb"
            }
    }

    func callAsFunction(_ paint: Paint, _ text: String) -> String {
        isOn && !text.isEmpty ? "\u{1B}[\(paint.rawValue)m\(text)\u{1B}[0m" : text
    }
}
