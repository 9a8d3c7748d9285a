import Synchronization

/// The purges of a cache, for all of its loops. A thread that asks waits for no more than another
/// look at the list; as long as nothing was purged since, for nothing.
public final class Purges: Sendable {
    /// A change that the next life of the cache has to know.
    public enum Change: Sendable, Equatable {
        case noted(PurgeList.Entry)
        /// Purges up to this number are not remembered one by one.
        case forgotten(Int64)
        /// Everything has had its turn for the purges up to this number.
        case swept(Int64)
    }

    private struct State {
        var list = PurgeList()
        var journal: (@Sendable (Change) -> Void)?
    }

    private let state = Mutex(State())
    private let newestNumber = Atomic<Int64>(0)
    private let sweptNumber = Atomic<Int64>(0)
    private let log: @Sendable (String) -> Void

    /// - Parameter log: gets a line where purges had to be forgotten.
    public init(log: @escaping @Sendable (String) -> Void = { _ in }) { self.log = log }

    /// From now on `journal` gets each change, before anything can be born under the number of a
    /// new purge. It is called under a lock, and calls nothing of this.
    public func keep(in journal: @escaping @Sendable (Change) -> Void) { state.withLock { $0.journal = journal } }

    /// The number of the latest purge: whatever is fetched from now on is born under it.
    public var newest: Int64 { newestNumber.load(ordering: .sequentiallyConsistent) }

    /// Everything that is held has had its turn for the purges up to this number. Whoever looks for
    /// an answer reads it before the look, and asks for the verdict since: a sweep that ends
    /// meanwhile may have removed the answer that was found.
    public var swept: Int64 { sweptNumber.load(ordering: .sequentiallyConsistent) }

    /// Whether something may be held that a purge has chosen.
    public var isSweeping: Bool { newest != swept }

    /// The number of purges that are remembered.
    public var count: Int { state.withLock { $0.list.count } }

    /// How often purges got other numbers, as those of a file were taken over.
    public var renumberings: Int { state.withLock { $0.list.renumberings } }

    /// How often the oldest were forgotten, as there were too many.
    public var forgettings: Int { state.withLock { $0.list.forgettings } }

    /// How often those that waited for their turn, or removals, became one of everything, as there
    /// were too many.
    public var widenings: Int { state.withLock { $0.list.widenings } }

    /// An answer that was born before that number counts as chosen.
    var forgotten: Int64 { state.withLock { $0.list.forgotten } }

    /// Notes a purge that begins now: from then on its verdict holds. Its number.
    @discardableResult
    public func note(_ selection: EntrySelection, _ mode: PurgeMode) -> Int64 {
        change { list in list.note(selection, mode).number }
    }

    /// Notes a hard purge of everything, in place of more removals than there is room for.
    public func widen() { change { list in list.widen(.hard) } }

    /// The number, among these, of such a purge (`PurgeList.number`) that was done here; else it is
    /// noted now.
    public func noteIfUnknown(
        _ selection: EntrySelection, _ mode: PurgeMode, among numbers: Range<Int64> = 1..<Int64.max
    ) -> Int64 {
        change { $0.number(of: selection, mode, among: numbers) ?? $0.note(selection, mode).number }
    }

    /// Takes over the purges of a file (`PurgeList.restore`). `body` is called before: no purge is
    /// noted until the end, so that changes which the journal has not written yet can be dropped.
    /// - Returns: the changes that the file lacks; the journal does not get them.
    public func restore(
        _ known: [PurgeList.Entry], forgotten: Int64, swept: Int64, _ body: () -> Void = {}
    ) -> [Change] {
        change(isKept: false) { list in
            body()
            let lacking = list.restore(known, forgotten: forgotten, swept: swept)
            let more = list.forgotten > forgotten ? [Change.forgotten(list.forgotten)] : []
            return more + lacking.map(Change.noted)
        }
    }

    /// A sweep has been through everything that was held. One that began before the purges of a
    /// file were taken over has not met its answers, and does not count.
    /// - Returns: whether it counts.
    @discardableResult
    public func noteSwept(by sweep: Sweep) -> Bool {
        change { list in
            guard list.restores == sweep.restores else { return false }
            list.noteSwept(sweep.last)
            return true
        }
    }

    /// Everything that was held has had its turn for the purges up to that number.
    func noteSwept(_ number: Int64) { change { list in list.noteSwept(number) } }

    /// The verdict on an answer whose fetch began under the number `born`.
    public func verdict(on answer: some Selectable, since born: Int64) -> PurgeVerdict {
        born >= newest ? .untouched : state.withLock { $0.list.effect(on: answer, since: born).verdict() }
    }

    /// The effect, on an answer that is held, of the purges that not everything has had its turn
    /// for.
    func effect(onHeld answer: some Selectable, born: Int64) -> PurgeEffect {
        guard isSweeping else { return PurgeEffect() }
        return state.withLock { state in state.list.effect(on: answer, since: max(born, state.list.swept)) }
    }

    /// The purges that a sweep has to do.
    struct Unswept {
        /// The number of the latest purge.
        let last: Int64
        /// How often the list had taken over a file's.
        let restores: Int
        /// The purges that not everything has had its turn for; nil where some of these are not
        /// remembered.
        let entries: [PurgeList.Entry]?
    }

    func unswept() -> Unswept {
        state.withLock { state in
            let list = state.list
            return Unswept(
                last: list.newest, restores: list.restores,
                entries: list.remembersUnswept ? list.entries(since: list.swept) : nil)
        }
    }

    /// The number of the last purge that may choose whatever answers such a request
    /// (`PurgeList.lastPurge`).
    public func lastPurge(
        of target: @autoclosure () -> [UInt8], storefront: @autoclosure () -> [UInt8], classTag: UInt8
    ) -> Int64 {
        if newest == 0 { return 0 }
        let (target, storefront) = (target(), storefront())
        return state.withLock { $0.list.lastPurge(of: target, storefront: storefront, classTag: classTag) }
    }

    /// - Parameter isKept: whether the journal gets the change.
    private func change<Result>(isKept: Bool = true, _ body: (inout PurgeList) -> Result) -> Result {
        let (result, message) = state.withLock { state in
            let (newest, swept, forgotten) = (state.list.newest, state.list.swept, state.list.forgotten)
            let (forgettings, widenings) = (state.list.forgettings, state.list.widenings)
            let result = body(&state.list)
            if let journal = state.journal, isKept {
                if state.list.forgotten > forgotten { journal(.forgotten(state.list.forgotten)) }
                if state.list.swept > swept { journal(.swept(state.list.swept)) }
                for entry in state.list.entries(since: newest) { journal(.noted(entry)) }
            }
            // Look-ups read `swept` first, so it is stored last.
            newestNumber.store(state.list.newest, ordering: .sequentiallyConsistent)
            sweptNumber.store(state.list.swept, ordering: .sequentiallyConsistent)
            let message: Message? =
                state.list.widenings > widenings ? .widened : state.list.forgettings > forgettings ? .forgotten : nil
            return (result, message?.rawValue)
        }
        if let message { log(message) }
        return result
    }

    /// Lines of the log.
    private enum Message: String {
        case forgotten = "purges: too many to remember: the oldest half counts as one of everything for composing"
        case widened = "purges: too many at once, or too many removals: they became one of everything"
    }
}
