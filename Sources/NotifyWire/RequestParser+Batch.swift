// The posts of a batch, each read like a request of its own.

extension RequestParser {
    /// The posts of the batch that `parse` has just read; their slices are valid as long as that line's.
    package mutating func parseBatch() -> Result<[Request], Refusal> {
        var scanner = JSONScanner(start: lineStart, end: lineEnd)
        scanner.at = request.posts.base + 1
        var posts: [Request] = []
        scanner.skipWhitespace()
        if scanner.take(UInt8(ascii: "]")) { return .success([]) }
        repeat {
            scanner.skipWhitespace()
            if let refusal = parsePost(&scanner, number: posts.count) { return .failure(refusal) }
            posts.append(request)
            scanner.skipWhitespace()
        } while scanner.take(UInt8(ascii: ","))
        return .success(posts)
    }
}
