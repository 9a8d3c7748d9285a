import Dispatch
import Store
import Synchronization

/// The stored answers by class and storefront, as of some moment in the last minute or so.
public struct StorageBreakdown: Sendable, Equatable {
    /// The answers of one class for one storefront in one tier.
    public struct Part: Sendable, Equatable {
        /// See `StoredResponse.classTag`.
        public let classTag: UInt8
        /// Two lower-case letters, or nothing.
        public let storefront: String
        public var entries: Int
        /// The bytes of targets, fields and bodies; in memory with bookkeeping.
        public var bytes: Int
    }

    /// In the file; empty without one. Ordered by class, then storefront.
    public var file: [Part] = []
    /// Whether there is a file that could not be read.
    public var isFileUnreadable = false
    /// Entries in the file by the upstream that gave them.
    public var origins: [OriginRows] = []
    /// In memory, personal and composed answers among them. Ordered likewise.
    public var memory: [Part] = []
}

/// Makes breakdowns in the background and hands out the last one while it is recent. Going through
/// a million entries takes a second, and a watcher asks every few seconds.
final class StorageSurvey: Sendable {
    private struct Survey {
        let breakdown: StorageBreakdown
        /// Nanoseconds since the machine has started, and for how long it was made.
        let takenAt: UInt64
        let cost: UInt64
    }

    /// Used on the queue alone: a caller that comes while one is made gets that one.
    private let latest = Mutex<Survey?>(nil)
    private let queue = DispatchQueue(label: "refrain.cache.survey", qos: .utility)

    /// A breakdown is good for that long, in nanoseconds, and for `costFactor` times its own cost.
    private static let lifetime: UInt64 = 10_000_000_000
    private static let costFactor: UInt64 = 50

    /// Calls `completion` with the last breakdown or with a new one by `make`, on a queue of its
    /// own.
    func take(
        _ make: @escaping @Sendable () -> StorageBreakdown,
        _ completion: @escaping @Sendable (StorageBreakdown) -> Void
    ) {
        queue.async { @Sendable [self] in
            let breakdown = latest.withLock { latest -> StorageBreakdown in
                let begun = DispatchTime.now().uptimeNanoseconds
                if let latest, begun - latest.takenAt < max(Self.lifetime, latest.cost * Self.costFactor) {
                    return latest.breakdown
                }
                let made = make()
                let ended = DispatchTime.now().uptimeNanoseconds
                latest = Survey(breakdown: made, takenAt: ended, cost: ended - begun)
                return made
            }
            completion(breakdown)
        }
    }
}

extension ResponseCache {
    /// Counts stored answers by class and storefront. Calls `completion` on another queue.
    public func breakdown(_ completion: @escaping @Sendable (StorageBreakdown) -> Void) {
        survey.take(
            { @Sendable [memory, file] in
                var breakdown = StorageBreakdown()
                breakdown.memory = memory.parts
                guard let file else { return breakdown }
                let sizes = file.records.sizes
                breakdown.file = sizes?.map(StorageBreakdown.Part.init) ?? []
                breakdown.isFileUnreadable = sizes == nil
                breakdown.origins = file.records.origins
                return breakdown
            }, completion)
    }
}

extension MemoryTier {
    fileprivate var parts: [StorageBreakdown.Part] {
        var parts: [String: StorageBreakdown.Part] = [:]
        forEachResponse { response in
            let storefront = String(decoding: response.storefront, as: UTF8.self)
            let name = String(UnicodeScalar(response.classTag)) + storefront
            let empty = StorageBreakdown.Part(
                classTag: response.classTag, storefront: storefront, entries: 0, bytes: 0)
            parts[name, default: empty].entries += 1
            parts[name, default: empty].bytes += response.byteCount
        }
        return parts.values.sorted { ($0.classTag, $0.storefront) < ($1.classTag, $1.storefront) }
    }
}
