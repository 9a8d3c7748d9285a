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
        var beside: [Beside] = []
    }

    /// A purge that this node has done without having read it in the log.
    struct Beside: Sendable {
        let number: Int
        let record: PurgeRecord
        /// Where it stands in the log; nil where it is not known to be there.
        var position: LogPosition? = nil
    }

    /// So many are remembered, and conditions of so many bytes: those beyond are one of everything.
    static let mostBeside = 4_096
    static let mostBesideBytes = 4 << 20

    private let state = Mutex(State())

    /// Nothing is known: what is fetched stays this node's own, and nothing is taken.
    package init() {}

    /// The fence of a fetch that begins now; nil while no log is known.
    var fence: LogMark? { state.withLock { $0.fence } }

    /// Whether a value of the tier is not to be taken: a purge has chosen it since. While purges
    /// may be missing that the cache has had, that is all; and what a purge has chosen that is not
    /// read in the log yet: nobody can tell whether the value is older.
    package func isPurged(_ value: TierValue) -> Bool {
        state.withLock { state in
            guard state.mayTake, let history = state.history else { return true }
            return state.beside.contains { $0.record.selection.matches(value.response) }
                || history.isPurged(value.response, since: value.fence)
        }
    }

    /// Whether a purge beyond the fence chose what such a request asks for, or nobody can tell.
    func isPurged(_ target: [UInt8], storefront: [UInt8], classTag: UInt8, since fence: LogMark) -> Bool {
        state.withLock { state in
            guard state.mayTake, let history = state.history else { return true }
            return history.isPurged(target, storefront: storefront, classTag: classTag, since: fence)
                || state.beside.contains {
                    $0.record.selection.chooses(target, storefront: storefront, classTag: classTag)
                }
        }
    }

    /// The follower begins with a history that knows nothing.
    func begin(_ epoch: LogEpoch, forgottenUntil: LogPosition) {
        state.withLock { $0.history = PurgeHistory(epoch, forgottenUntil: forgottenUntil) }
    }

    /// A purge of the log.
    func note(_ entry: PurgeLogEntry) {
        state.withLock { state in
            state.history?.note(entry.record, at: entry.position)
            state.beside.removeAll { $0.position == entry.position }
        }
    }

    /// Purges that are not read in the log yet, in their order.
    var beside: [Beside] { state.withLock { $0.beside } }

    /// Remembers one. Where there is no room for it, it and the latest before it become one soft
    /// purge of everything, which the log has not seen.
    /// - Returns: whether that is so.
    func remember(_ purge: Beside) -> Bool {
        state.withLock { state in
            let bytes = state.beside.reduce(purge.record.selection.byteCount) { $0 + $1.record.selection.byteCount }
            guard state.beside.count >= Self.mostBeside || bytes > Self.mostBesideBytes else {
                state.beside.append(purge)
                return false
            }
            let at = max(purge.record.at, state.beside.popLast()?.record.at ?? 0)
            let all = PurgeRecord(
                selection: EntrySelection(), mode: .soft, at: at, node: purge.record.node, isUnderstood: true)
            state.beside.append(Beside(number: purge.number, record: all))
            return true
        }
    }

    /// A purge that was done beside the log stands in it now.
    func logged(_ number: Int, at position: LogPosition) {
        state.withLock { state in
            for index in state.beside.indices where state.beside[index].number == number {
                state.beside[index].position = position
            }
        }
    }

    /// Where the follower stands now, once what it was to do before is done.
    func stand(fence: LogMark?, mayTake: Bool) {
        state.withLock { ($0.fence, $0.mayTake) = (fence, mayTake) }
    }
}
