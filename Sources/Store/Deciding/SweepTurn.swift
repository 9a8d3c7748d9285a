// Whether a sweep of the file is under way, and whether one is owed: it was asked for, and the disk
// or another process kept it from its end.
// Must hold: one at a time; each is ended once; a step that was scheduled for an earlier one does
// nothing.

struct SweepTurn {
    enum Event: Equatable {
        case asked(Int)
        case due(Int)
        case stepped(Int, isDone: Bool)
        case failed(Int, String, FileFault)
    }

    enum Effect: Equatable {
        case step(Int)
        case schedule(Int)
        case end(SweepEnd)
        /// The sweep that is owed can be done now.
        case resume
    }

    private var underWay: Int?
    private var isOwed = false

    mutating func ask(_ id: Int, _ phase: StorePhase, _ isInTrouble: Bool) -> [Effect] {
        precondition(underWay == nil, "one sweep at a time")
        underWay = id
        if phase == .open, !isInTrouble { return [.step(id)] }
        let isOurs = phase == .absent || phase == .open
        return interrupt(isOurs ? .owed : .refused)
    }

    /// A step is due; where the file cannot be changed now, the sweep ends.
    mutating func due(_ id: Int, isSettled: Bool) -> [Effect] {
        guard underWay == id else { return [] }
        return isSettled ? [.step(id)] : interrupt(.owed)
    }

    mutating func stepped(_ id: Int, isDone: Bool) -> [Effect] {
        precondition(underWay == id, "a sweep that is not under way takes no step")
        guard isDone else { return [.schedule(id)] }
        underWay = nil
        return [.end(.done)]
    }

    /// The file goes, or cannot be changed.
    mutating func interrupt(_ end: SweepEnd) -> [Effect] {
        guard underWay != nil else { return [] }
        (underWay, isOwed) = (nil, true)
        return [.end(end)]
    }

    /// Notes that a part of the file may have missed its turn.
    mutating func owe() { isOwed = true }

    /// The file can be changed.
    mutating func resume() -> [Effect] {
        defer { isOwed = false }
        return isOwed ? [.resume] : []
    }
}

/// How a sweep of the file has ended.
public enum SweepEnd: Sendable, Equatable {
    /// Everything that was there has had its turn.
    case done
    /// The disk refuses it; it is asked for again once the disk takes it.
    case owed
    /// Another process writes the file, or the store is closed.
    case refused
}
