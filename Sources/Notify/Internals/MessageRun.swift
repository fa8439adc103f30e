// Messages of one batch that stand in a row: what a feed holds and a reader takes. Taking one costs no more than counting
// up.

struct MessageRun: FeedRun {
    let batch: MessageBatch
    private(set) var range: Range<Int>

    init(_ batch: MessageBatch, _ range: Range<Int>) {
        self.batch = batch
        self.range = range
    }

    var count: Int { range.count }
    var byteCount: Int { batch.byteCount(range) }
    var first: NotifyCenter.RawMessage { NotifyCenter.RawMessage(batch: batch, index: range.lowerBound) }

    mutating func split(_ count: Int) -> MessageRun {
        let border = range.lowerBound + count
        defer { range = border..<range.upperBound }
        return MessageRun(batch, range.lowerBound..<border)
    }

    mutating func popFirst() -> NotifyCenter.RawMessage? {
        guard !range.isEmpty else { return nil }
        defer { range = range.lowerBound + 1..<range.upperBound }
        return first
    }
}
