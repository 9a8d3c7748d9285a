import EventLoop

/// Takes entries older than the horizon out of the log, once an hour, but for the newest of them: a
/// node that has read all of the log within the horizon is at that one or beyond it, however seldom
/// anything is purged (`PurgeLogState`).
struct LogTrimming: Sendable {
    private static let interval: Duration = .seconds(3_600)
    private var last: Instant?

    /// Asks for the newest entry from before the horizon, where that is due. `time`: the engine's,
    /// in unix milliseconds.
    mutating func question(_ horizon: Duration, _ time: Int64, _ keys: TierKeys, now: Instant) -> RESPCommand? {
        guard last.map({ now - $0 >= Self.interval }) ?? true else { return nil }
        last = now
        let end = time - horizon.wholeNanoseconds / 1_000_000 - 1
        return end > 0 ? RESPCommand("XREVRANGE", keys.purges, "\(end)", "-", "COUNT", "1") : nil
    }

    /// Takes out all before the entry in the answer.
    static func trimming(upTo reply: RESPReply?, _ keys: TierKeys) -> RESPCommand? {
        guard let id = reply?.elements?.first?.elements?.first?.bytes, LogPosition(id) != nil else { return nil }
        return RESPCommand("XTRIM", keys.purges, "MINID", id)
    }
}
