import Cache
import Synchronization

/// What this node knows of the purge log, for every loop: where it stands, and which purges a value
/// may have missed. Whoever follows the log writes it; leaders read it. Its lock is taken on misses
/// alone.
package final class PurgeKnowledge: Sendable {
    private struct State {
        var history: PurgeHistory?
        var fence: LogMark?
        var mayTake = false
    }

    private let state = Mutex(State())

    /// Nothing is known: what is fetched stays this node's own, and nothing is taken.
    package init() {}

    /// The fence of a fetch that begins now; nil while no log is known.
    package var fence: LogMark? { state.withLock { $0.fence } }

    /// What becomes of a value of the tier. While purges may be missing that the cache has had,
    /// nothing is taken.
    package func fate(of value: TierValue) -> PurgeHistory.Fate {
        state.withLock { state in
            guard state.mayTake, let history = state.history else { return .gone }
            return history.fate(of: value.response, fence: value.fence)
        }
    }

    /// The follower begins with a history that knows nothing.
    package func begin(_ epoch: LogEpoch, forgottenUntil: LogPosition) {
        state.withLock { $0.history = PurgeHistory(epoch, forgottenUntil: forgottenUntil) }
    }

    /// A purge of the log.
    package func note(_ entry: PurgeLogEntry) {
        state.withLock { $0.history?.note(entry.record, at: entry.position) }
    }

    /// Where the follower stands now, once what it was to do before is done.
    package func stand(fence: LogMark?, mayTake: Bool) {
        state.withLock { ($0.fence, $0.mayTake) = (fence, mayTake) }
    }
}
