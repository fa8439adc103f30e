// A key that stands twice in one object. Foundation's decoder takes the first one without a word; in a list of rules that
// would be a right that somebody believes to have given, or taken.

/// Where the key stands for the second time.
struct RepeatedKey: Equatable {
    /// With the objects and lists around it: `channels[1].history.bytes`.
    var path: String
    /// From 1.
    var line: Int

    /// The first one in the text; nil when every key stands once in its object.
    static func first(in text: some Sequence<UInt8>) -> RepeatedKey? {
        var scan = JSON5Scan(text)
        while let byte = scan.next() {
            if scan.take(byte) { return RepeatedKey(path: scan.path, line: scan.word.line) }
        }
        return nil
    }
}
