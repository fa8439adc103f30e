// What has to be on disk, and who waits for it. Operations are collected in pieces, each with a number: the piece that is
// being collected, and at most one that is being written.
//
// Whoever gets something that depends on a piece has a mark in its queue of waiting lines, and nothing behind the mark is
// written before the piece is on disk. The disk is treated as a slow reader is.

struct Storage {
    /// Numbers that are reserved at a time, and how many of them are left when the next ones are asked for.
    static let block: UInt64 = 1 << 34
    static let margin: UInt64 = 1 << 33

    /// There is a store.
    var isOn = false
    /// The last piece could not be written: posts on persistent channels are refused.
    var isFailing = false
    private(set) var operations: [StoreOperation] = []
    /// Bytes of message bodies and of posts among them.
    private(set) var bytes = 0
    /// The piece that is being collected; odd, so that 0 marks nothing.
    private(set) var piece: UInt32 = 1
    /// The piece that is being written; nil: none.
    private(set) var writing: UInt32?
    /// The piece of the message that is being delivered; 0: it does not go to the store.
    var delivering: UInt32 = 0
    /// Persistent channels whose histories may have lost messages that the store still has.
    var touched: [ChannelRef] = []
    /// Peers with a mark in their queue that may not be settled.
    var held: [PeerRef] = []
    /// Beyond this `pos`, or this number of a scheduled post, the next numbers are reserved.
    var reserveMark = UInt64.max
    var scheduleMark = UInt64.max

    /// The highest `seq` that a persistent channel may have had that is not stored (any more).
    var floor: UInt64 = 0

    /// Numbers that nobody has used yet were told to the store.
    mutating func reserve(after position: UInt64, schedule: UInt64) {
        reserveMark = position + Self.block - Self.margin
        scheduleMark = schedule + Self.block - Self.margin
        add(.reserve(position: position + Self.block, schedule: schedule + Self.block))
    }

    mutating func add(_ operation: StoreOperation) {
        switch operation {
        case .message(_, let message, _): bytes += message.body.count
        case .hold(let post): bytes += post.line.count
        default: break
        }
        operations.append(operation)
    }

    /// The piece that everything accepted up to now is on disk with; nil: all is.
    var pending: UInt32? {
        operations.isEmpty ? writing : piece
    }

    mutating func take() -> [StoreOperation] {
        defer {
            operations = []
            bytes = 0
            writing = piece
            piece &+= 2
        }
        return operations
    }

    /// The outcome of the piece that was being written is known.
    mutating func settle() { writing = nil }

    func isSettled(_ piece: UInt32) -> Bool { piece != self.piece && piece != writing }
}
