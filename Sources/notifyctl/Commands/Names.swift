// Channels, patterns and labels on the command line: checked here, so that a slip is a usage error and asks nobody.

import Notify

/// Reads names out of words.
enum Names {
    static func channel(_ word: Word) throws(Failure) -> NotifyCenter.Channel {
        let text = try word.text("channel")
        do {
            return try NotifyCenter.Channel(validating: text)
        } catch {
            throw .usage(Printable.text(error.message))
        }
    }

    static func pattern(_ word: Word) throws(Failure) -> NotifyCenter.Pattern {
        let text = try word.text("pattern")
        do {
            return try NotifyCenter.Pattern(validating: text)
        } catch {
            throw .usage(Printable.text(error.message))
        }
    }

    static func subject(_ arguments: Arguments) throws(Failure) -> NotifyCenter.Subject? {
        guard let text = try arguments.text(.subject) else { return nil }
        do {
            return try NotifyCenter.Subject(validating: text)
        } catch {
            throw .usage(Printable.text(error.message))
        }
    }

    /// A type follows the rules of a subject.
    static func type(_ arguments: Arguments) throws(Failure) -> String? {
        guard let text = try arguments.text(.type) else { return nil }
        if NotifyCenter.Subject(rawValue: text) == nil {
            throw .usage("--type: '\(Printable.text(text))' is not 1 to 255 bytes of text without control characters")
        }
        return text
    }
}

extension Option {
    static let type = Option("type", short: "t", .required("TYPE"), help: "the payload's type, such as CartDidChange")
    static let subject = Option("subject", short: "s", .required("SUBJECT"), help: "what it is about, such as cart-42")
}
