/// The seconds by which the wall clock is earlier than the latest time seen, from the clock or from
/// the file.
///
/// The cause is unknown: the clock was ahead then, or is late now. If it is late now, the time of a
/// purge would be earlier than answers that existed at the purge, so marks are written later by
/// this number. If it was ahead then, the marks lie in the future, and the next process sets them
/// to its start. It does so with a late clock, too: a second late start in a row knows no lag.
struct ClockLag {
    /// Unix seconds less uptime, the most.
    private var furthest: Int64?

    /// A smaller lag is an adjustment of the clock.
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
