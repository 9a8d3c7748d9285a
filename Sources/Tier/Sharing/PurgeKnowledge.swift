import Cache
import EventLoop
import Store
import Synchronization

/// The part of the purge log that this node knows, for every loop.
///
/// It says how far the log is applied, and which purges a value may have missed. `LogFollower`
/// writes it; leaders read it. Its lock is taken on misses alone.
package final class PurgeKnowledge: Sendable {
    private struct State {
        var history: PurgeHistory?
        var logMark: LogMark?
        var mayTake = false
        var unlogged: [UnloggedPurge] = []
        /// When the first of them was noted.
        var unloggedSince: NotingTime?

        func isPurged(_ value: TierValue) -> Bool {
            guard mayTake, let history else { return true }
            return unlogged.contains { $0.record.selection.chooses(value.response) }
                || history.isPurged(value.response, since: value.logMark)
        }
    }

    private let state = Mutex(State())

    /// Nothing is known: fetched answers stay this node's own, and no value is taken.
    package init() {}

    /// The log mark of a fetch that begins now; nil while no log is known.
    var logMark: LogMark? { state.withLock { $0.logMark } }

    /// Whether a value of the tier is not to be taken: a purge has chosen it since. True of every
    /// value while the history may be incomplete, and of those selected by a purge that is not read
    /// in the log yet.
    func isPurged(_ value: TierValue) -> Bool { state.withLock { $0.isPurged(value) } }

    /// When a value counts as received at the latest, in unix seconds: before each purge that it
    /// may have missed, or it would be taken for younger than the purged content in it. Nil where
    /// it is not to be taken. By a clock that says `now` at `instant`.
    func latestReceipt(of value: TierValue, at now: Int64, _ instant: Instant) -> Int64? {
        state.withLock { state in
            guard let history = state.history, !state.isPurged(value) else { return nil }
            return min(
                history.latestReceipt(since: value.logMark, at: now, instant),
                state.unloggedSince?.before(now, instant) ?? now)
        }
    }

    /// Whether a purge beyond the log mark chose the answer to such a request, as far as can be
    /// known.
    func isPurged(_ target: [UInt8], storefront: [UInt8], classTag: UInt8, since logMark: LogMark) -> Bool {
        state.withLock { state in
            guard state.mayTake, let history = state.history else { return true }
            return history.isPurged(target, storefront: storefront, classTag: classTag, since: logMark)
                || state.unlogged.contains {
                    $0.record.selection.chooses(target, storefront: storefront, classTag: classTag)
                }
        }
    }

    /// The follower begins with a history that knows nothing.
    func begin(_ epoch: LogEpoch, forgottenUntil: LogPosition) {
        state.withLock { $0.history = PurgeHistory(epoch, forgottenUntil: forgottenUntil) }
    }

    /// A purge of the log, which the cache has as of that time or later.
    func note(_ entry: PurgeLogEntry, at time: NotingTime) {
        state.withLock { $0.history?.note(entry.record, at: entry.position, noted: time) }
    }

    /// The purges that are not read in the log yet.
    var unlogged: [UnloggedPurge] { state.withLock { $0.unlogged } }

    /// Replaces them. The cache has the new ones as of that time or later.
    func hold(_ unlogged: [UnloggedPurge], at time: NotingTime) {
        state.withLock { state in
            state.unlogged = unlogged
            state.unloggedSince = unlogged.isEmpty ? nil : state.unloggedSince ?? time
        }
    }

    /// The follower's place now, once its earlier effects are performed.
    func move(to logMark: LogMark?, mayTake: Bool) {
        state.withLock { ($0.logMark, $0.mayTake) = (logMark, mayTake) }
    }
}
