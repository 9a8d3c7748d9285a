import Purging

/// The code that knows the meaning of records and marks.
///
/// It is asked on any thread, maybe under a lock of the store's, so it calls nothing of the store
/// but `RecordStore.add`. A lock of its own is taken after the writer's, and before those of
/// `SharedState`.
public protocol RecordOwner: Sendable {
    /// Takes the marks of purges in a file that is about to be used: before anything is found
    /// there. `dropWaiting` is called while no purge can be noted: marks that wait to be written
    /// are dropped by it.
    /// - Returns: the marks that the file lacks, to be written before anything else.
    func note(_ marks: [StoreMark], _ dropWaiting: () -> Void) -> [StoreMark]
    /// The number up to which purges have been through the file. To be read before a record is
    /// looked for: a sweep may end while it is being read.
    var sweptPurges: Int64 { get }
    /// The effect of the purges after that number on a record.
    func verdict(on record: SelectableRecord, since swept: Int64) -> PurgeVerdict
    /// Counts everything as purged from now on: more removals wait than may.
    func purgeAll()
    /// False where a record that agrees with its checksum can never be used.
    func canUse(_ record: Record) -> Bool
    /// The times that a soft purge at `now`, in unix seconds, leaves.
    func aged(_ facts: RecordFacts, at now: Int64) -> RecordFacts.Times
}
