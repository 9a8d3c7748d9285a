import Synchronization

/// How often the use of a record is worth telling the store, in seconds. It is read on every hit in
/// memory, so it is no call of this module's.
public final class UseInterval: Sendable {
    @usableFromInline let value: Atomic<Int>

    init(_ seconds: Int) { value = Atomic(seconds) }

    @inlinable public var seconds: Int { value.load(ordering: .relaxed) }

    func set(_ seconds: Int) { value.store(seconds, ordering: .relaxed) }
}
