import Synchronization

// Purges that have been asked for and are not in the file yet: the disk takes its time, or refuses.
// Must hold: an answer that one of them chose does not come out of the file as it was.

final class OwedPurges: Sendable {
    private let purges = Mutex<[(id: Int, purge: Purge)]>([])
    /// Mostly none is, and nothing is locked then.
    private let isEmptyNow = Atomic<Bool>(true)
    private let lastID = Atomic<Int>(0)

    var isEmpty: Bool { isEmptyNow.load(ordering: .acquiring) }

    /// From now on the purge counts; its number.
    func add(_ purge: Purge) -> Int {
        let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
        guard purge.mode != .dryRun else { return id }
        purges.withLock { purges in
            purges.append((id, purge))
            isEmptyNow.store(false, ordering: .releasing)
        }
        return id
    }

    /// The file has had it, or it does not count.
    func remove(_ ids: [Int]) {
        purges.withLock { purges in
            purges.removeAll { ids.contains($0.id) }
            isEmptyNow.store(purges.isEmpty, ordering: .releasing)
        }
    }

    /// One purge in place of others.
    func replace(_ ids: [Int], with id: Int, _ purge: Purge) {
        purges.withLock { purges in
            purges.removeAll { ids.contains($0.id) }
            purges.append((id, purge))
        }
    }

    /// An answer of the file as it is after these purges; nil where it is gone.
    func applied<Answer: PurgeableAnswer>(to answer: Answer) -> Answer? {
        if isEmpty { return answer }
        return purges.withLock { purges in
            var left = answer
            for (_, purge) in purges where purge.selection.chooses(left) {
                guard let rest = left.left(by: purge) else { return nil }
                left = rest
            }
            return left
        }
    }
}
