// Which purges of the file are under way, and which are owed: answered, because they count in
// memory, and to be written when the disk lets them.
// Must hold: a purge is answered once; what is owed is bounded. It counts for what is read of a
// file that is another process's for good, and is never written to that.

struct PurgeTurns {
    enum Event: Equatable {
        case asked(Int, isCount: Bool)
        case due(Int)
        case stepped(Int, isDone: Bool)
        case failed(Int, String, StoreFault)
    }

    /// Under way; those that are answered already are owed as well.
    private var stepping: Set<Int> = []
    private var counting: Set<Int> = []
    /// Answered, in their order.
    private var owed: [Int] = []

    /// More become one of everything.
    static let mostOwed = 256

    /// Whether a purge was answered that the file has not had.
    var isOwing: Bool { !owed.isEmpty }

    mutating func ask(
        _ purge: Int, isCount: Bool, _ phase: StoreState.Phase, _ isInTrouble: Bool
    ) -> [StoreState.Effect] {
        precondition(!stepping.contains(purge) && !owed.contains(purge), "a purge is asked for once")
        if phase == .open, !isInTrouble {
            stepping.insert(purge)
            if isCount { counting.insert(purge) }
            return [.stepPurge(purge)]
        }
        if isCount || phase == .stopped { return [.refusePurge(purge), .forgetPurge(purge)] }
        let isOurs = phase == .absent || phase == .open
        return [isOurs ? .answerPurge(purge) : .refusePurge(purge)] + owe(purge)
    }

    private mutating func owe(_ purge: Int) -> [StoreState.Effect] {
        owed.append(purge)
        guard owed.count > Self.mostOwed else { return [] }
        stepping.subtract(owed)
        owed = [purge]
        return [.widenPurges(into: purge)]
    }

    /// A step is due; where the file cannot be purged now, the purge is owed.
    mutating func due(_ purge: Int, isSettled: Bool) -> [StoreState.Effect] {
        guard stepping.contains(purge) else { return [] }
        return isSettled ? [.stepPurge(purge)] : interrupt(purge)
    }

    mutating func stepped(_ purge: Int, isDone: Bool) -> [StoreState.Effect] {
        precondition(stepping.contains(purge), "what is not under way takes no step")
        guard isDone else { return [.schedulePurge(purge)] }
        stepping.remove(purge)
        counting.remove(purge)
        owed.removeAll { $0 == purge }
        return [.finishPurge(purge)]
    }

    mutating func interrupt(_ purge: Int) -> [StoreState.Effect] {
        stepping.remove(purge)
        if counting.remove(purge) != nil { return [.refusePurge(purge), .forgetPurge(purge)] }
        return owed.contains(purge) ? [] : [.answerPurge(purge)] + owe(purge)
    }

    /// The file can be purged: those that are owed go on.
    mutating func resume() -> [Int] {
        let next = owed.filter { !stepping.contains($0) }
        stepping.formUnion(next)
        return next
    }

    /// The file is let go of.
    mutating func end() -> [StoreState.Effect] {
        let refused = stepping.subtracting(owed).sorted()
        stepping = []
        counting = []
        return refused.flatMap { [.refusePurge($0), .forgetPurge($0)] }
    }
}
