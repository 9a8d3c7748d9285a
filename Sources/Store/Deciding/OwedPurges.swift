import Purging
import Synchronization

// Purges that are not in the file yet: under way, or owed (`PurgeTurns`). Look-ups apply them.
// Must hold: a record that one of them chose does not come out of the file as it was.

final class OwedPurges: Sendable {
    private let owner: any RecordOwner
    private let purges = Mutex<[(id: Int, purge: Purge)]>([])
    /// Mostly none is, and nothing is locked then.
    private let isEmptyNow = Atomic<Bool>(true)
    private let lastID = Atomic<Int>(0)

    init(_ owner: any RecordOwner) { self.owner = owner }

    var isEmpty: Bool { isEmptyNow.load(ordering: .acquiring) }

    /// From now on the purge counts; its number.
    func add(_ purge: Purge) -> Int {
        let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
        guard !purge.isCount else { return id }
        purges.withLock { purges in
            purges.append((id, purge))
            isEmptyNow.store(false, ordering: .releasing)
        }
        return id
    }

    /// The file has had it, or it does not count.
    func remove(_ id: Int) {
        purges.withLock { purges in
            purges.removeAll { $0.id == id }
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

    /// Whether one of them chooses it.
    func choose(_ record: some PurgeableRecord) -> Bool {
        !isEmpty && purges.withLock { $0.contains { record.isChosen(by: $0.purge.selection) } }
    }

    /// A record of the file as it is after these purges; nil where it is gone.
    func applied<Found: PurgeableRecord>(to record: Found) -> Found? {
        if isEmpty { return record }
        return purges.withLock { purges in
            var left = record
            for (_, purge) in purges where left.isChosen(by: purge.selection) {
                guard let rest = left.left(by: purge, owner) else { return nil }
                left = rest
            }
            return left
        }
    }
}
