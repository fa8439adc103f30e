// Plays the store between lives of the broker: what it would give back after the operations it was given.

@testable import NotifyBroker

struct Disk {
    private(set) var state = StoredState(epoch: "e1")

    init(_ operations: [StoreOperation] = []) { write(operations) }

    mutating func write(_ operations: [StoreOperation]) {
        for operation in operations { write(operation) }
    }

    private mutating func write(_ operation: StoreOperation) {
        switch operation {
        case .message(let name, let message, let isRetained):
            change(name) { channel in
                if channel.history.isEmpty, channel.sequence == 0 { channel.base = message.sequence - 1 }
                channel.history.append(message)
                channel.sequence = message.sequence
                if isRetained { channel.retained = message }
            }
        case .clearRetained(let name): change(name) { $0.retained = nil }
        case .trim(let name, let loss):
            guard state.channels.contains(where: { $0.name == name }) else { return }
            change(name) { channel in
                channel.lost = loss
                channel.history.removeAll { $0.sequence <= loss.sequence }
            }
        case .forget(let name, let sequence, let position):
            state.channels.removeAll { $0.name == name }
            state.forgotten = max(state.forgotten, position)
            state.floor = max(state.floor, sequence)
        case .rules(let rules, let position):
            state.rules = rules
            state.forgotten = max(state.forgotten, position)
            state.floor = max(state.floor, position)
        case .remember(let key): state.keys.append(key)
        case .hold(let post):
            state.posts.removeAll { $0.number == post.number }
            state.posts.append(post)
        case .release(let number): state.posts.removeAll { $0.number == number }
        case .epoch(let name): state.epoch = name
        case .reserve(let position, let schedule): (state.position, state.schedule) = (position, schedule)
        }
    }

    private mutating func change(_ name: [UInt8], _ body: (inout StoredChannel) -> Void) {
        if !state.channels.contains(where: { $0.name == name }) {
            state.channels.append(StoredChannel(name: name, sequence: 0))
        }
        for index in state.channels.indices where state.channels[index].name == name { body(&state.channels[index]) }
    }
}

extension [StoreOperation] {
    var held: [StoredPost] {
        compactMap { if case .hold(let post) = $0 { post } else { nil } }
    }

    var released: [UInt64] {
        compactMap { if case .release(let number) = $0 { number } else { nil } }
    }
}
