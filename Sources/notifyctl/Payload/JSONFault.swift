// What is wrong with a text that should be JSON. Who decides is passed in, so that everything that builds payloads can
// be tested without the library's scanner.

import Notify

/// Where and why a text is not strict JSON.
struct JSONFault: Error, Equatable, Sendable {
    /// 0-based byte in the text.
    var offset: Int
    var reason: String
}

/// Judges a text: nil if it is strict JSON.
typealias JSONCheck = @Sendable ([UInt8]) -> JSONFault?

extension JSONFault {
    /// The judgement of the library, which is the daemon's.
    static let check: JSONCheck = { text in
        do throws(NotifyError) {
            try NotifyCenter.validateJSON(text)
            return nil
        } catch {
            let offset = error.offset ?? 0
            let place = "the payload is not valid JSON at byte \(offset): "
            let reason = error.message.hasPrefix(place) ? error.message.dropFirst(place.count) : error.message[...]
            return JSONFault(offset: offset, reason: String(reason))
        }
    }
}
