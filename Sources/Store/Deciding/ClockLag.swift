/// How far the wall clock is behind the latest time that it, or the file, said.
///
/// Nobody can tell whether it was ahead before or is behind now. If it is behind, a purge that is
/// written down with its time would be older, for a process whose clock is right, than answers that
/// were there at the purge; so purges are written down later by this. If it was ahead, they lie in
/// the future, and the next process takes them as of its start.
struct ClockLag {
    /// Unix seconds less uptime, the most.
    private var furthest: Int64?

    /// A clock that is behind by less is being adjusted.
    private static let tolerance: Int64 = 60

    /// Notes a time that the clock or the file says.
    mutating func note(_ unixSeconds: Int64, at uptime: Duration) {
        let offset = unixSeconds &- uptime.components.seconds
        furthest = max(furthest ?? offset, offset)
    }

    /// In seconds.
    func seconds(_ unixSeconds: Int64, at uptime: Duration) -> Int64 {
        guard let furthest else { return 0 }
        let lag = furthest &+ uptime.components.seconds &- unixSeconds
        return lag > Self.tolerance ? lag : 0
    }
}
