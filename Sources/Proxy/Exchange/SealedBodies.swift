import Cache
import EventLoop
import Synchronization

// Large bodies that are asked for again and again, as files that the kernel sends without copying them: of a megabyte that is
// two thirds of what sending it costs.
// Must hold: a file is given out only for the very response it was made from; the files together stay within `maxBytes`, and
// keep no response alive.

/// Used from all loops.
public final class SealedBodies: Sendable {
    /// Smaller ones are copied in less time than a second system call takes.
    static let leastBytes = 32 << 10
    private let entries = Mutex(Entries())
    private let maxBytes: Int

    /// - Parameter maxBytes: what all files together may take in memory.
    public init(maxBytes: Int) {
        self.maxBytes = maxBytes
    }

    /// Bytes in files now.
    var byteCount: Int { entries.withLock { $0.byteCount } }

    /// The body of `stored` as a file; nil where it is small, or is asked for the first time.
    func file(of stored: StoredResponse) -> SealedFile? {
        guard stored.body.count >= Self.leastBytes, stored.body.count <= maxBytes else { return nil }
        let hash = stored.key.hash
        let (file, isDue) = entries.withLock { $0.find(stored, hash) }
        guard isDue, let made = SealedFile(stored.body) else { return file }
        entries.withLock { $0.add(made, for: stored, hash, maxBytes) }
        return made
    }
}

/// What was asked for, by the hash of its key.
private struct Entries {
    private struct Entry {
        weak var response: StoredResponse?
        /// Nil until the body is asked for a second time.
        var file: SealedFile?
        /// Since the last look for something to evict.
        var isUsed = false
    }

    private var byHash: [UInt64: Entry] = [:]
    /// Those with a file, the oldest first.
    private var order: [UInt64] = []
    private(set) var byteCount = 0

    /// Those without a file that are remembered.
    private static let mostCandidates = 1024

    /// The file of `stored`, or whether it is worth making.
    mutating func find(_ stored: StoredResponse, _ hash: UInt64) -> (file: SealedFile?, isDue: Bool) {
        guard let entry = byHash[hash], entry.response === stored else {
            remove(hash)
            if byHash.count - order.count >= Self.mostCandidates { byHash = byHash.filter { $0.value.file != nil } }
            byHash[hash] = Entry(response: stored)
            return (nil, false)
        }
        if entry.file != nil, !entry.isUsed { byHash[hash]?.isUsed = true }
        return (entry.file, entry.file == nil)
    }

    mutating func add(_ file: SealedFile, for stored: StoredResponse, _ hash: UInt64, _ maxBytes: Int) {
        guard let entry = byHash[hash], entry.response === stored, entry.file == nil else { return }
        evict(to: maxBytes - file.count)
        byHash[hash]?.file = file
        order.append(hash)
        byteCount += file.count
    }

    /// The oldest go first, but for those that were used meanwhile.
    private mutating func evict(to limit: Int) {
        while byteCount > limit, let oldest = order.first {
            if byHash[oldest]?.isUsed == true, byHash[oldest]?.response != nil {
                byHash[oldest]?.isUsed = false
                order.append(order.removeFirst())
            } else {
                remove(oldest)
            }
        }
    }

    private mutating func remove(_ hash: UInt64) {
        guard let file = byHash.removeValue(forKey: hash)?.file else { return }
        byteCount -= file.count
        order.removeAll { $0 == hash }
    }
}
