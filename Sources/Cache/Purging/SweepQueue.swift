import Purging

/// The purges whose callers wait, and whether a sweep is under way. Pure.
///
/// Must hold: one sweep at a time; each purge is answered once, by the first sweep that began after
/// it was noted; where the file refuses, its callers are answered, and the sweep is owed.
struct SweepQueue {
    typealias Completion = @Sendable (Int?) -> Void

    private var waiting: [Sweep.Waiting] = []
    private var completions: [Int: Completion] = [:]
    private var isSweeping = false
    /// Whether another sweep was asked for while one was under way.
    private var isAskedAgain = false
    private var lastID = 0

    /// A purge was noted under that number, or is only to count.
    /// - Returns: whether a sweep has to begin.
    mutating func add(
        _ selection: EntrySelection, _ mode: PurgeMode, _ number: Int64, _ completion: @escaping Completion
    ) -> Bool {
        lastID += 1
        waiting.append(Sweep.Waiting(id: lastID, number: number, selection, mode))
        completions[lastID] = completion
        return begin()
    }

    /// A sweep is to be done, though nobody waits for it.
    /// - Returns: whether a sweep has to begin.
    mutating func begin() -> Bool {
        // The file may have come back after the one under way met its trouble.
        isAskedAgain = isSweeping
        isSweeping = true
        return !isAskedAgain
    }

    /// The purges that the sweep which begins now counts for.
    mutating func take() -> [Sweep.Waiting] {
        defer { (waiting, isAskedAgain) = ([], false) }
        return waiting
    }

    /// A sweep has ended.
    /// - Parameter isOwed: whether not everything has had its turn since.
    /// - Returns: the completions of these purges, with their counts, and whether the next sweep
    ///   has to begin.
    mutating func end(
        _ ended: [Sweep.Waiting], counted: Bool, isOwed: Bool
    ) -> (due: [(completion: Completion, count: Int?)], begins: Bool) {
        let due = ended.flatMap { purge in
            purge.totals.compactMap { id, count in
                completions.removeValue(forKey: id).map { ($0, counted ? count : nil) }
            }
        }
        isSweeping = !waiting.isEmpty || isOwed || isAskedAgain
        return (due, isSweeping)
    }
}
