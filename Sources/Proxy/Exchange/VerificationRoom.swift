import Dispatch
import Synchronization

/// The places for verifications of all loops, and the queue on which they compare.
///
/// Must hold: no loop waits for a comparison; one at a time is made; what verifications hold is
/// bounded. Used from all loops.
final class VerificationRoom: Sendable {
    private let queue = DispatchQueue(label: "refrain.verifying", qos: .utility)
    private let count = Atomic<Int>(0)

    /// Limits: verifications at once, and bytes that one holds. With the compared answers they are
    /// `ProxyMemory.verifyingBytes`.
    static let (most, mostBytes) = (4, 4 << 20)

    /// Takes a place; false without room. `leave` gives it back.
    func enter(bytes: Int) -> Bool {
        guard bytes <= Self.mostBytes else { return false }
        if count.add(1, ordering: .relaxed).newValue <= Self.most { return true }
        leave()
        return false
    }

    func leave() { count.subtract(1, ordering: .relaxed) }

    func compare(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
}
