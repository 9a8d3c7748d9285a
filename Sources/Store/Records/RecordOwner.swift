import Purging

/// The code that knows the meaning of records and marks.
///
/// It is asked on any thread, maybe under a lock of the store's, so it calls nothing of the store
/// but `RecordStore.add`.
public protocol RecordOwner: Sendable {
    /// Takes the marks of purges in a file that is about to be used: before anything is found
    /// there. `dropWaiting` is called while no purge can be noted: marks that wait to be written
    /// are dropped by it.
    /// - Returns: the marks that the file lacks, to be written before anything else.
    func note(_ marks: [StoreMark], _ dropWaiting: () -> Void) -> [StoreMark]
    /// Whether a purge may have chosen something in the file that it has not been through yet: then
    /// each record that is found is judged.
    var isSweeping: Bool { get }
    /// The effect of such purges on a record.
    func verdict(on record: SelectableRecord) -> PurgeVerdict
    /// More removals wait than may: from now on everything counts as purged.
    func purgeAll()
    /// False where a record that agrees with its checksum can never be used.
    func canUse(_ record: Record) -> Bool
    /// The times that a soft purge at `now`, in unix seconds, leaves.
    func aged(_ facts: RecordFacts, at now: Int64) -> RecordFacts.Times
}
