import Synchronization

/// A clock that stops while its loop has work and then jumps to the loop's next timer: hours of
/// waiting take no time, and events keep their order.
///
/// Must hold: every peer of the loop is on the loop itself, over Unix sockets, which deliver bytes
/// before the write returns. Work on other queues is done before time passes (`settle`).
public final class VirtualTime: Sendable {
    /// The first instant: an hour, so that subtracting a minute stays above zero; always the same,
    /// so that runs can be repeated.
    public static let start = Instant(nanoseconds: 3_600_000_000_000)

    private let nanoseconds = Atomic<Int64>(VirtualTime.start.nanoseconds)
    private let settle: @Sendable () -> Void

    /// - Parameter settle: called before time passes; waits for work that was begun elsewhere.
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
