import Cache
import Dispatch
import HTTP
import Synchronization

// Answers that clients want in gzip and that came without it, or were composed: compressed once,
// in the background, when they are first asked for so.
// Must hold: no loop waits for it; one answer at a time is compressed, and what waits is bounded;
// the result goes to what memory holds by then, if that is still the same content, and counts as
// its bytes.

/// Used from all loops.
final class Compressions: Sendable {
    private let queue = DispatchQueue(label: "refrain.compression", qos: .utility)
    /// Bytes of content that wait or are being compressed.
    private let waiting = Atomic<Int>(0)

    /// The largest content: 20 ms of a core. The most that may wait: a second of it.
    static let (mostBytes, mostWaiting) = (2 << 20, ProxyMemory.compressionBytes)

    /// Compresses `stored`; nothing is told of the end.
    /// - Returns: false where there is no room now.
    func compress(_ stored: StoredResponse, for cache: ResponseCache, by gzip: Gzip) -> Bool {
        let count = stored.bodyCount
        guard count <= Self.mostBytes else { return true }
        guard waiting.add(count, ordering: .relaxed).newValue <= Self.mostWaiting else {
            waiting.subtract(count, ordering: .relaxed)
            return false
        }
        queue.async { @Sendable [self] in
            if let coded = gzip.deflate(stored.body) { cache.attach(gzip: coded, to: stored) }
            waiting.subtract(count, ordering: .relaxed)
        }
        return true
    }

    /// Waits until all that was taken in is compressed.
    func flush() { queue.sync {} }
}
