// A message for a person at a terminal: time, channel, type, subject, payload on one line. Nothing in it can move the
// cursor.

/// Writes messages for people.
struct PrettyMessage: Sendable {
    var style: Style
    var clock = WallClock()

    func line(_ message: MessageFields) -> String {
        var parts = [style(.dim, clock.short(message.time)), style(.channel, Printable.text(message.channel))]
        if let type = message.type { parts.append(style(.type, Printable.text(type))) }
        if let subject = message.subject { parts.append(style(.subject, Printable.text(subject))) }
        parts.append(Printable.payload(message.payload))
        if message.isReplay { parts.append(style(.dim, message.isRetained ? "(retained)" : "(replayed)")) }
        return parts.joined(separator: "  ")
    }
}
