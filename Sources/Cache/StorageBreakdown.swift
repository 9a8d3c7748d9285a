import Dispatch
import Synchronization

/// The stored answers by class and storefront, as of some moment in the last minute or so.
public struct StorageBreakdown: Sendable, Equatable {
    /// The answers of one class for one storefront in one tier.
    public struct Part: Sendable, Equatable {
        /// As in `StoredResponse.classTag`.
        public let classTag: UInt8
        /// Two lower-case letters, or nothing.
        public let storefront: String
        public var entries: Int
        /// The bytes of targets, fields and bodies; in memory with bookkeeping.
        public var bytes: Int
    }

    /// In the file; empty without one. Ordered by class, then storefront.
    public var file: [Part] = []
    /// In memory, personal and composed answers among them. Ordered likewise.
    public var memory: [Part] = []
}

/// Makes breakdowns in the background and hands out the last one while it is recent. Going through
/// a million entries takes a second, and a watcher asks every few seconds.
final class StorageSurvey: Sendable {
    private struct State {
        var latest: StorageBreakdown?
        var takenAt: DispatchTime = .now()
        var cost: UInt64 = 0
        var waiting: [@Sendable (StorageBreakdown) -> Void] = []
        var isUnderWay = false
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "refrain.cache.survey", qos: .utility)

    /// A breakdown is good for as long, in nanoseconds, and for `costFactor` times what it took to
    /// make.
    static let lifetime: UInt64 = 10_000_000_000
    static let costFactor: UInt64 = 50

    /// Calls `completion` with the last breakdown, at once, or with a new one once it is made by
    /// `make`, on a queue of its own.
    func take(
        _ make: @escaping @Sendable () -> StorageBreakdown,
        _ completion: @escaping @Sendable (StorageBreakdown) -> Void
    ) {
        let (recent, begins) = state.withLock { state -> (StorageBreakdown?, Bool) in
            let age = DispatchTime.now().uptimeNanoseconds - state.takenAt.uptimeNanoseconds
            if let latest = state.latest, age < max(Self.lifetime, state.cost * Self.costFactor) {
                return (latest, false)
            }
            state.waiting.append(completion)
            defer { state.isUnderWay = true }
            return (nil, !state.isUnderWay)
        }
        if let recent { return completion(recent) }
        if begins { queue.async { @Sendable [self] in run(make) } }
    }

    private func run(_ make: () -> StorageBreakdown) {
        let begun = DispatchTime.now()
        let made = make()
        let waiting = state.withLock { state in
            state.latest = made
            state.takenAt = .now()
            state.cost = state.takenAt.uptimeNanoseconds - begun.uptimeNanoseconds
            state.isUnderWay = false
            defer { state.waiting = [] }
            return state.waiting
        }
        for completion in waiting { completion(made) }
    }
}
