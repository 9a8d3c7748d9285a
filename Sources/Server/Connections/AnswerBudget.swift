import Synchronization

/// The memory that answers may hold which slow clients have not taken yet: one sum over the
/// connections of all loops (FRAMING 6.7). What the kernel took at once is not counted; that keeps
/// hits free of it.
///
/// Used from any thread.
public final class AnswerBudget: Sendable {
    private let limit: Atomic<Int>
    private let used = Atomic<Int>(0)
    private let reset = Atomic<Int>(0)

    /// What `serve` has by default.
    public static let standard = 128 << 20

    /// - Parameter limit: bytes.
    public init(limit: Int = AnswerBudget.standard) {
        self.limit = Atomic(limit)
    }

    /// Another limit, in bytes; who holds too much by it gives way when the next answer waits.
    public func limit(to bytes: Int) { limit.store(bytes, ordering: .relaxed) }

    /// Bytes that are held now.
    public var heldBytes: Int { used.load(ordering: .relaxed) }

    /// Connections that were reset so that others have room.
    public var resetCount: Int { reset.load(ordering: .relaxed) }

    var isExceeded: Bool { heldBytes > limit.load(ordering: .relaxed) }

    func take(_ bytes: Int) { used.add(bytes, ordering: .relaxed) }
    func give(_ bytes: Int) { used.subtract(bytes, ordering: .relaxed) }
    func noteReset() { reset.add(1, ordering: .relaxed) }
}
