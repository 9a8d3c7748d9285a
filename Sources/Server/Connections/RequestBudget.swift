import Synchronization

/// The memory that requests may hold which are being read, or wait for their answers: one sum over
/// the connections of all loops (FRAMING 6.7). A request that came whole and is answered at once is
/// not counted; that keeps hits free of it.
///
/// Used from any thread.
public final class RequestBudget: Sendable {
    private let limit: Atomic<Int>
    private let used = Atomic<Int>(0)

    /// The default of `serve`.
    public static let standard = 64 << 20

    /// - Parameter limit: bytes.
    public init(limit: Int = RequestBudget.standard) {
        self.limit = Atomic(limit)
    }

    /// Sets the limit, in bytes; memory that is held stays held.
    public func limit(to bytes: Int) { limit.store(bytes, ordering: .relaxed) }

    /// Bytes that are held now.
    public var heldBytes: Int { used.load(ordering: .relaxed) }

    /// Whether nothing more may be held.
    public var isExhausted: Bool { heldBytes >= limit.load(ordering: .relaxed) }

    /// Whether the limit allows that many bytes.
    func canHold(_ bytes: Int) -> Bool { bytes <= limit.load(ordering: .relaxed) }

    /// Takes bytes; false where they would be too many, and nothing is taken then.
    func take(_ bytes: Int) -> Bool {
        let sum = used.add(bytes, ordering: .relaxed).newValue
        if sum <= limit.load(ordering: .relaxed) { return true }
        give(bytes)
        return false
    }

    /// Takes bytes that cannot be refused any more.
    func takeAnyway(_ bytes: Int) { used.add(bytes, ordering: .relaxed) }

    /// Gives bytes back.
    func give(_ bytes: Int) { used.subtract(bytes, ordering: .relaxed) }
}
