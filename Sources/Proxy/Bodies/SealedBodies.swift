import Cache
import EventLoop
import Synchronization

// Large bodies that are asked for again and again, as files that the kernel sends without copying
// them: of a megabyte that is two thirds of what sending it costs.
// Must hold: a file is given out only for the very response it was made from, and never for a
// personal one; the files stay within `maxBytes` and within `mostFiles` descriptors, and keep no
// response alive; one that is evicted while it is being sent goes when it has left.

/// Used from all loops; looked at for large bodies alone.
public final class SealedBodies: Sendable {
    /// Smaller ones are copied in less time than a second system call takes.
    static let leastBytes = 32 << 10
    /// A small part of the descriptors that a process usually may have, which clients and the
    /// origin need.
    static let mostFiles = 256

    private let entries = Mutex(Entries())
    private let maxBytes: Int

    /// - Parameter maxBytes: the most memory of all files together; 0 for none.
    public init(maxBytes: Int) {
        self.maxBytes = maxBytes
    }

    /// Bytes in files now.
    var byteCount: Int { entries.withLock { $0.byteCount } }

    /// The body of `stored` as a file; nil where it is small, or is asked for the first time.
    func file(of stored: StoredResponse) -> SealedFile? {
        guard stored.bodyCount >= Self.leastBytes, stored.bodyCount <= maxBytes, !stored.key.isPersonal,
            !stored.isDamaged
        else { return nil }
        let hash = stored.key.hash
        let (file, isDue) = entries.withLock { $0.find(stored, hash) }
        guard isDue else { return file }
        let made = SealedFile(stored.body)
        entries.withLock { $0.add(made, for: stored, hash, maxBytes) }
        return made
    }
}

/// Requested bodies, by the hash of the key.
private struct Entries {
    private enum State {
        /// Asked for once.
        case candidate
        case sealed(SealedFile)
        /// The system made no file of it; not tried again.
        case refused
    }

    private struct Entry {
        weak var response: StoredResponse?
        var state = State.candidate
        /// Since the last look for something to evict.
        var isUsed = false
    }

    private var byHash: [UInt64: Entry] = [:]
    /// The hashes of the keys with a file, the oldest first.
    private var order: [UInt64] = []
    private(set) var byteCount = 0

    /// The most keys without a file that are remembered.
    private static let mostCandidates = 1024

    /// The file of `stored`, or whether it is worth making.
    mutating func find(_ stored: StoredResponse, _ hash: UInt64) -> (file: SealedFile?, isDue: Bool) {
        guard let entry = byHash[hash], entry.response === stored else {
            remove(hash)
            if byHash.count - order.count >= Self.mostCandidates {
                byHash = byHash.filter { if case .sealed = $0.value.state { true } else { false } }
            }
            byHash[hash] = Entry(response: stored)
            return (nil, false)
        }
        switch entry.state {
        case .candidate: return (nil, true)
        case .refused: return (nil, false)
        case .sealed(let file):
            if !entry.isUsed { byHash[hash]?.isUsed = true }
            return (file, false)
        }
    }

    /// - Parameter file: nil where none could be made.
    mutating func add(_ file: SealedFile?, for stored: StoredResponse, _ hash: UInt64, _ maxBytes: Int) {
        guard let entry = byHash[hash], entry.response === stored, case .candidate = entry.state else { return }
        guard let file else {
            byHash[hash]?.state = .refused
            return
        }
        for gone in order where byHash[gone]?.response == nil { remove(gone) }
        while byteCount > maxBytes - file.count || order.count >= SealedBodies.mostFiles { evictOne() }
        byHash[hash]?.state = .sealed(file)
        order.append(hash)
        byteCount += file.count
    }

    /// The oldest goes first, but for those that were used meanwhile.
    private mutating func evictOne() {
        while let oldest = order.first, byHash[oldest]?.isUsed == true {
            byHash[oldest]?.isUsed = false
            order.append(order.removeFirst())
        }
        if let oldest = order.first { remove(oldest) }
    }

    private mutating func remove(_ hash: UInt64) {
        guard case .sealed(let file) = byHash.removeValue(forKey: hash)?.state else { return }
        byteCount -= file.count
        order.removeAll { $0 == hash }
    }
}
