import Purging

// Which purges of the file are under way, and which are owed: their callers were told, and the disk
// has not taken them yet.
// Must hold: a purge is answered once; owed purges are bounded, and written one after the other.
// After a hand-over an owed purge counts for look-ups, and is never written to the other process's
// file.

struct PurgeTurns {
    enum Event: Equatable {
        case asked(Int, Purge)
        case due(Int)
        case stepped(Int, isDone: Bool)
        case failed(Int, String, FileFault)
    }

    enum Effect: Equatable {
        case step(Int)
        case schedule(Int)
        /// The purge is in the file.
        case finish(Int)
        /// The caller gets the count; the purge is owed to the file, unless it only counts.
        case answer(Int)
        /// The caller is told that it cannot be.
        case refuse(Int)
        /// It counts no longer.
        case forget(Int)
        /// All purges that are owed become this one, of everything.
        case widen(into: Int, Purge)
    }

    /// Those under way or owed.
    private var purges: [Int: Purge] = [:]
    /// Under way; those that are answered already are owed as well.
    private var stepping: Set<Int> = []
    /// Answered or refused, in their order.
    private var owed: [Int] = []

    /// More become one of everything.
    static let mostOwed = 256

    /// Whether the file lacks a purge whose caller was told.
    var isOwing: Bool { !owed.isEmpty }

    mutating func ask(
        _ id: Int, _ purge: Purge, _ phase: StorePhase, _ isInTrouble: Bool
    ) -> [Effect] {
        precondition(purges[id] == nil, "a purge is asked for once")
        purges[id] = purge
        if phase == .open, !isInTrouble {
            stepping.insert(id)
            return [.step(id)]
        }
        if phase == .stopped { return refuse(id) }
        let isOurs = phase == .absent || phase == .open
        return putOff(id, isOurs ? .answer(id) : .refuse(id))
    }

    /// A step is due; where the file cannot be purged now, the purge is put off.
    mutating func due(_ id: Int, isSettled: Bool) -> [Effect] {
        guard stepping.contains(id) else { return [] }
        return isSettled ? [.step(id)] : interrupt(id)
    }

    mutating func stepped(_ id: Int, isDone: Bool) -> [Effect] {
        precondition(stepping.contains(id), "a purge that is not under way takes no step")
        guard isDone else { return [.schedule(id)] }
        drop([id])
        return [.finish(id)]
    }

    mutating func interrupt(_ id: Int) -> [Effect] {
        stepping.remove(id)
        return owed.contains(id) ? [] : putOff(id, .answer(id))
    }

    /// The file can be purged: the first of those that are owed goes on.
    mutating func resume() -> [Effect] {
        guard let next = owed.first, stepping.isDisjoint(with: owed) else { return [] }
        stepping.insert(next)
        return [.schedule(next)]
    }

    /// Another process is about to write the file. Purges under way are refused, and owed.
    mutating func lend() -> [Effect] {
        let interrupted = stepping.subtracting(owed).sorted()
        stepping = []
        return interrupted.flatMap { putOff($0, .refuse($0)) }
    }

    /// No file will be purged any more.
    mutating func end() -> [Effect] {
        let refused = stepping.subtracting(owed).sorted()
        stepping = []
        return refused.flatMap { refuse($0) }
    }

    private mutating func refuse(_ id: Int) -> [Effect] {
        drop([id])
        return [.refuse(id), .forget(id)]
    }

    /// Tells the caller, and owes the purge to the file; nothing is owed of one that only counts.
    private mutating func putOff(_ id: Int, _ reply: Effect) -> [Effect] {
        guard purges[id]?.isCount == true else { return [reply] + owe(id) }
        drop([id])
        return [reply, .forget(id)]
    }

    /// An equal one from before is done with this one: one that is refused may be asked for again
    /// and again.
    private mutating func owe(_ id: Int) -> [Effect] {
        guard let purge = purges[id] else { return [] }
        let equal = owed.filter { purges[$0].map(purge.supersedes) ?? false }
        drop(equal)
        owed.append(id)
        return equal.map { .forget($0) } + (owed.count > Self.mostOwed ? widen(into: id) : [])
    }

    private mutating func widen(into id: Int) -> [Effect] {
        let wide = Purge(widening: owed.compactMap { purges[$0] })
        drop(owed)
        purges[id] = wide
        owed = [id]
        return [.widen(into: id, wide)]
    }

    private mutating func drop(_ ids: [Int]) {
        for id in ids { purges[id] = nil }
        stepping.subtract(ids)
        owed.removeAll { ids.contains($0) }
    }
}
