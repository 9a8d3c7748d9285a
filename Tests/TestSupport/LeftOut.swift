import Synchronization

/// Checks that this run leaves out; its last lines list them.
public enum LeftOut {
    private static let all = Mutex<Set<String>>([])

    /// - Parameter note: the missing thing, and the check that was left out without it.
    public static func note(_ note: String) { all.withLock { _ = $0.insert(note) } }

    /// Notes that clients came too far apart for their misses to be joined.
    ///
    /// Misses are joined where clients come within a few milliseconds of each other, which a busy
    /// machine may never do. Tests of values check the decisions then.
    public static func noteClientsApart() {
        note("the machine is busy: no clients came together, whose misses could have been joined")
    }

    static var notes: [String] { all.withLock { $0.sorted() } }
}
