import Freshness
import Synchronization

// Marks of a stored response's uses: its only mutable members.

extension StoredResponse {
    /// Whether the store should hear of this use: at most one of all loops is told so, once in
    /// `interval` seconds, so that entries that live in memory are not the first to be evicted from
    /// disk.
    func shouldReportUse(at unixSeconds: Int64, every interval: Int) -> Bool {
        let last = reportedUse.load(ordering: .relaxed)
        // A use in the future was noted while the clock was ahead.
        guard last > unixSeconds || Lifetime.seconds(from: last, to: unixSeconds) >= interval else { return false }
        return reportedUse.compareExchange(expected: last, desired: unixSeconds, ordering: .relaxed).exchanged
    }

    /// Notes that it was asked for in a coding that it does not have. True the first time.
    public func noteCodingRequest() -> Bool { !isWantedCoded.exchange(true, ordering: .relaxed) }

    /// Notes that it was fetched in place of a smaller answer.
    public func awaitUse() { isUnserved.store(true, ordering: .relaxed) }

    /// Whether it waits to be served itself.
    public var awaitsUse: Bool { isUnserved.load(ordering: .relaxed) }

    /// Notes that it is served. True for one of all loops after `awaitUse`.
    public func noteUse() -> Bool { isUnserved.exchange(false, ordering: .relaxed) }

    /// Whether `noteCodingRequest` may still say so, and the content is worth it.
    public var mayBecomeCoded: Bool {
        bodyCount >= GzipForm.leastBytes && !isWantedCoded.load(ordering: .relaxed)
    }
}
