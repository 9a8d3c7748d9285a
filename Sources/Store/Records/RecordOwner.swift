import Purging

/// The code that knows the meaning of records and marks.
///
/// It is asked on any thread, maybe under a lock of the store's, so it calls nothing of the store;
/// on a look-up only while a purge is owed.
public protocol RecordOwner: Sendable {
    /// Takes the marks of purges in a file that is about to be used: before anything is found
    /// there.
    func note(_ marks: [StoreMark])
    /// The marks to write after a purge that has gone through the file.
    func marks(of purge: Purge) -> [StoreMark]
    /// Ends times of purges in the future, because the clock was ahead; how many. `now` in unix
    /// seconds.
    func capTimes(at now: Int64) -> Int
    /// False where a record that agrees with its checksum can never be used.
    func canUse(_ record: Record) -> Bool
    /// The times that a soft purge at `now`, in unix seconds, leaves.
    func aged(_ facts: RecordFacts, at now: Int64) -> RecordFacts.Times
}
