import Synchronization

/// Time that stands still while its loop has anything to do, and then is at once that of the loop's
/// next timer: hours of waiting take no time at all, and nothing happens in another order than it
/// would have.
///
/// Must hold: all that the loop talks to is on the loop itself, over Unix sockets, which carry
/// what is written to them before the write returns. What others do for it, on queues of their own,
/// is done before time passes (`settle`).
public final class VirtualTime: Sendable {
    /// Where it begins: an hour in, so that subtracting a minute does not reach below zero; always
    /// the same, so that runs can be repeated.
    public static let start = Instant(nanoseconds: 3_600_000_000_000)

    private let nanoseconds = Atomic<Int64>(VirtualTime.start.nanoseconds)
    private let settle: @Sendable () -> Void

    /// - Parameter settle: called before time passes; waits for what was begun elsewhere.
    public init(settle: @escaping @Sendable () -> Void = {}) {
        self.settle = settle
    }

    /// From any thread.
    public var now: Instant { Instant(nanoseconds: nanoseconds.load(ordering: .relaxed)) }

    /// The time since the beginning.
    public var elapsed: Duration { now - Self.start }

    /// By its loop alone.
    func pass(to instant: Instant) {
        guard instant > now else { return }
        settle()
        nanoseconds.store(instant.nanoseconds, ordering: .relaxed)
    }
}
