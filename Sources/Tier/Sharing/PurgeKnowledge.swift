import Purging
import Synchronization

/// The part of the purge log that this node knows, for every loop.
///
/// It says how far the log is applied, and under which number of this node's list of purges a value
/// was born. `LogFollower` writes it; leaders read it. Its lock is taken on misses alone.
package final class PurgeKnowledge: Sendable {
    private struct State {
        var purges = Purges()
        /// The renumberings (`Purges.renumberings`) when the places were noted.
        var renumberings = 0
        var places: LogPlaces?
        var logMark: LogMark?
        var mayTake = false
        var unlogged: [UnloggedPurge] = []
        /// Nothing that was born under this number or a later one is known to be from before all of
        /// `unlogged`.
        var unloggedFrom = Int64.max

        func born(at logMark: LogMark) -> Int64? {
            guard mayTake, renumberings == purges.renumberings,
                let born = places?.born(at: logMark, newest: purges.newest)
            else { return nil }
            return min(born, unloggedFrom - 1)
        }
    }

    private let state = Mutex(State())

    /// Nothing is known: fetched answers stay this node's own, and no value is taken.
    package init() {}

    /// The log mark of a fetch that begins now; nil while no log is known.
    var logMark: LogMark? { state.withLock { $0.logMark } }

    /// The number of this node's list of purges under which a value was born; nil where it is not
    /// to be taken: a purge has chosen it since, be it one that is not read in the log yet, or the
    /// log may not be known so far. A soft one counts like any other: stale answers are not taken
    /// from other nodes.
    func born(_ value: TierValue) -> Int64? {
        let found = state.withLock { state -> (Int64, Purges)? in
            guard !state.unlogged.contains(where: { $0.record.selection.chooses(value.response) }) else { return nil }
            return state.born(at: value.logMark).map { ($0, state.purges) }
        }
        guard let (born, purges) = found, purges.verdict(on: value.response, since: born) == .untouched else {
            return nil
        }
        return born
    }

    /// Whether a value is not to be taken.
    func isPurged(_ value: TierValue) -> Bool { born(value) == nil }

    /// Whether a purge beyond the log mark chose the answer to such a request, as far as can be
    /// known, so that no older answer may be used for it.
    func isPurged(_ target: [UInt8], storefront: [UInt8], classTag: UInt8, since logMark: LogMark) -> Bool {
        let found = state.withLock { state -> (Int64, Purges)? in
            let isUnlogged = state.unlogged.contains {
                $0.record.selection.chooses(target, storefront: storefront, classTag: classTag)
            }
            return isUnlogged ? nil : state.born(at: logMark).map { ($0, state.purges) }
        }
        guard let (born, purges) = found else { return true }
        return purges.lastPurge(of: target, storefront: storefront, classTag: classTag) > born
    }

    /// Values with an earlier log mark are not taken.
    var forgottenUntil: LogMark? {
        state.withLock { $0.places.map { LogMark($0.epoch, $0.forgottenUntil) } }
    }

    /// The follower begins to read the log anew.
    func begin(_ epoch: LogEpoch, forgottenUntil: LogPosition, in purges: Purges) {
        state.withLock { state in
            (state.purges, state.renumberings) = (purges, purges.renumberings)
            state.places = LogPlaces(epoch, forgottenUntil: forgottenUntil)
        }
    }

    /// A purge of the log, which the cache's list has under that number or a later one. A new one
    /// is told of before the list has it.
    func note(_ position: LogPosition, as number: Int64) {
        state.withLock { $0.places?.note(position, as: number) }
    }

    /// The purges that are not read in the log yet.
    var unlogged: [UnloggedPurge] { state.withLock { $0.unlogged } }

    /// Replaces them, before the list has those that come.
    /// - Parameter number: not above that of any that comes.
    func hold(_ unlogged: [UnloggedPurge], from number: Int64) {
        state.withLock { state in
            state.unlogged = unlogged
            state.unloggedFrom = unlogged.isEmpty ? .max : min(state.unloggedFrom, number)
        }
    }

    /// The follower's place now, once its earlier effects are performed.
    func move(to logMark: LogMark?, mayTake: Bool) {
        state.withLock { ($0.logMark, $0.mayTake) = (logMark, mayTake) }
    }
}
