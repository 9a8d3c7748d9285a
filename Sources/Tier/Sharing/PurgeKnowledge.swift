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

    /// The number of this node's list of purges under which a value was born; nil where it is not
    /// to be taken.
    func born(_ value: TierValue) -> Int64? {
        state.withLock { state in
            guard let history = state.history, !state.isPurged(value) else { return nil }
            return history.born(at: value.logMark)
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

    /// A purge of the log, which the cache's list has under that number or a later one.
    func note(_ entry: PurgeLogEntry, as number: Int64) {
        state.withLock { $0.history?.note(entry.record, at: entry.position, as: number) }
    }

    /// The purges that are not read in the log yet.
    var unlogged: [UnloggedPurge] { state.withLock { $0.unlogged } }

    /// Replaces them.
    func hold(_ unlogged: [UnloggedPurge]) {
        state.withLock { $0.unlogged = unlogged }
    }

    /// The follower's place now, once its earlier effects are performed.
    func move(to logMark: LogMark?, mayTake: Bool) {
        state.withLock { ($0.logMark, $0.mayTake) = (logMark, mayTake) }
    }
}
