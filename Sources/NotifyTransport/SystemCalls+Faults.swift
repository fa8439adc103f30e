// Faults on purpose, in debug builds only: a test says which call is to fail, or to move fewer bytes than it could, and
// for whom; the gate asks here before it asks the kernel.

#if DEBUG
    import Glibc
    import NotifyLock
    import Synchronization

    extension SystemCalls {
        package struct Fault: Sendable {
            package enum Outcome: Sendable {
                /// errno
                case fails(Int32)
                /// Of a read or send: so many bytes at the most.
                case moves(Int)
            }

            package var call: Call
            package var outcome: Outcome
            /// Asked on the calling thread, with the descriptor.
            package var applies: @Sendable (Int32) -> Bool

            package init(_ call: Call, _ outcome: Outcome, where applies: @escaping @Sendable (Int32) -> Bool) {
                self.call = call
                self.outcome = outcome
                self.applies = applies
            }

            package init(_ call: Call, on descriptor: Int32, _ number: Int32) {
                self.init(call, .fails(number)) { $0 == descriptor }
            }
        }

        private static let faults = Locked<[Fault]>([])
        private static let hasFaults = Atomic<Bool>(false)

        /// Each meets one call, oldest first.
        package static func inject(_ list: [Fault]) {
            faults.withLock {
                $0.append(contentsOf: list)
                hasFaults.store(!$0.isEmpty, ordering: .releasing)
            }
        }

        /// Forgets what has met no call yet; returns how many those were.
        @discardableResult
        package static func takeBackFaults() -> Int {
            faults.withLock { list in
                defer { list = [] }
                hasFaults.store(false, ordering: .releasing)
                return list.count
            }
        }

        static func injectedError(_ call: Call, _ fd: Int32) -> Int32? {
            take(call, fd) { if case .fails(let number) = $0 { number } else { nil } }
        }

        static func injectedCount(_ call: Call, _ fd: Int32) -> Int? {
            take(call, fd) { if case .moves(let count) = $0 { count } else { nil } }
        }

        /// The first fault for the call, if it is of the kind.
        private static func take<Value>(_ call: Call, _ fd: Int32, _ value: (Fault.Outcome) -> Value?) -> Value? {
            guard hasFaults.load(ordering: .acquiring) else { return nil }
            return faults.withLock { list in
                guard let index = list.firstIndex(where: { $0.call == call && $0.applies(fd) }),
                    let found = value(list[index].outcome)
                else { return nil }
                list.remove(at: index)
                hasFaults.store(!list.isEmpty, ordering: .releasing)
                return found
            }
        }
    }
#endif
