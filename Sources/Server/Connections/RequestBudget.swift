import Synchronization
import Text

/// The memory that requests may hold which are being read, or wait for their answers: one sum over
/// the connections of all loops (FRAMING 6.7). A request that came whole and is answered at once is
/// not counted; that keeps hits free of it.
///
/// A party, a client's key or its network, has its share (`FairShare`): seven eighths at most, so
/// that others find room. Parties are told apart by 1,024 cells, chosen with a secret: two of
/// them may have one share, and no client can choose whose.
///
/// Used from any thread. The sums are counted one after the other: takings at the same moment may
/// all be refused, and none is allowed too much.
public final class RequestBudget: Sendable {
    /// How a taking went.
    package enum Taking {
        case taken
        /// The memory is used up, whoever asks.
        case full
        /// The party has its share.
        case shareUsed
    }

    private let limit: Atomic<Int>
    private let used = Atomic<Int>(0)
    /// Bytes by the cells of parties.
    private let cells: InlineArray<1024, Atomic<Int>>
    private let seed = UInt64.random(in: .min ... .max)

    /// The default of `serve`.
    public static let standard = 64 << 20

    /// - Parameter limit: bytes.
    public init(limit: Int = RequestBudget.standard) {
        self.limit = Atomic(limit)
        cells = InlineArray { _ in Atomic<Int>(0) }
    }

    private func cell(of party: UInt64) -> Int {
        Int(truncatingIfNeeded: SplitMix64.mixed(party ^ seed) & 1023)
    }

    /// Sets the limit, in bytes; memory that is held stays held.
    public func limit(to bytes: Int) { limit.store(bytes, ordering: .relaxed) }

    /// Bytes that are held now.
    public var heldBytes: Int { used.load(ordering: .relaxed) }

    /// How much more a party may hold: `taken` where it may have a byte.
    package func room(of party: UInt64) -> Taking {
        let free = limit.load(ordering: .relaxed) - heldBytes
        guard free > 0 else { return .full }
        return FairShare.allows(1, holding: cells[cell(of: party)].load(ordering: .relaxed), of: free)
            ? .taken : .shareUsed
    }

    /// Whether the limit allows one request of that many bytes.
    func canHold(_ bytes: Int) -> Bool { bytes <= FairShare.most(of: limit.load(ordering: .relaxed)) }

    /// Takes bytes; nothing is taken where they would be too many.
    func take(_ bytes: Int, of party: UInt64) -> Taking {
        let before = used.add(bytes, ordering: .relaxed).oldValue
        let held = cells[cell(of: party)].add(bytes, ordering: .relaxed).oldValue
        let free = limit.load(ordering: .relaxed) - before
        if FairShare.allows(bytes, holding: held, of: free) { return .taken }
        give(bytes, of: party)
        return bytes > free ? .full : .shareUsed
    }

    /// Takes bytes that cannot be refused any more.
    func takeAnyway(_ bytes: Int, of party: UInt64) {
        used.add(bytes, ordering: .relaxed)
        cells[cell(of: party)].add(bytes, ordering: .relaxed)
    }

    /// Gives bytes back.
    func give(_ bytes: Int, of party: UInt64) {
        used.subtract(bytes, ordering: .relaxed)
        cells[cell(of: party)].subtract(bytes, ordering: .relaxed)
    }
}
