// A value and the lock that guards it. Not Synchronization's Mutex: on Linux that hands the lock over to the next in
// line, a context switch each time when a poster and the event loop meet, and the thread sanitizer cannot see it.
// Inlinable, because it is on the way of every post of the client; hence the import that is public.

public import Glibc

package struct Locked<Value>: @unchecked Sendable {
    @usableFromInline let storage: LockStorage<Value>

    package init(_ value: sending Value) {
        storage = LockStorage<Value>.make(value)
    }

    @inlinable package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try storage.withUnsafeMutablePointers { value, lock throws(Failure) -> Result in
            pthread_mutex_lock(lock)
            defer { pthread_mutex_unlock(lock) }
            return try body(&value.pointee)
        }
    }
}

/// The value and behind it the lock, in one allocation whose address does not change.
@usableFromInline final class LockStorage<Value>: ManagedBuffer<Value, pthread_mutex_t> {
    static func make(_ value: Value) -> LockStorage<Value> {
        let buffer = create(minimumCapacity: 1) { buffer in
            buffer.withUnsafeMutablePointerToElements { lock in
                lock.initialize(to: pthread_mutex_t())
                pthread_mutex_init(lock, nil)
            }
            return value
        }
        return unsafeDowncast(buffer, to: LockStorage<Value>.self)
    }

    deinit {
        withUnsafeMutablePointerToElements { lock in
            _ = pthread_mutex_destroy(lock)
        }
    }
}
