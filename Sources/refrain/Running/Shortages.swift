import Store
import Text

/// Decides when the log repeats that something runs out. Pure.
struct Shortages {
    /// Steps on the way to an end, of which each is told as it is reached.
    private enum Stage: Int { case far, soon, day, hour, over }

    private struct Notice {
        let ends: Int64
        let stage: Stage
        let at: Int64
    }

    private var notices: [String: Notice] = [:]
    private var isDiskShort = false
    /// At the last look.
    private var reloads = 0

    /// The warnings that are due: a day and an hour before an end, at it, and daily from when the
    /// first was.
    /// - Parameter reloads: how many there were. A token that the origin refuses is read anew
    ///   without one.
    mutating func due(_ expiries: [Expiry], reloads: Int, at unixSeconds: Int64) -> [String] {
        defer { self.reloads = reloads }
        return expiries.compactMap { expiry in
            let warning = expiry.warning(at: unixSeconds)
            let stage = warning == nil ? .far : Self.stage(before: expiry.ends, at: unixSeconds)
            let now = Notice(ends: expiry.ends, stage: stage, at: unixSeconds)
            // The first look at an end is silent: the start or the reload has logged it.
            guard let last = notices[expiry.subject], last.ends == now.ends || reloads == self.reloads else {
                notices[expiry.subject] = now
                return nil
            }
            // The clock may have been set back.
            let isRecent = (last.at..<last.at + Expiry.day).contains(unixSeconds)
            guard last.ends != now.ends || stage.rawValue > last.stage.rawValue || !isRecent else { return nil }
            notices[expiry.subject] = now
            return warning
        }
    }

    private static func stage(before end: Int64, at unixSeconds: Int64) -> Stage {
        switch end &- unixSeconds {
        case ..<0: .over
        case ...3600: .hour
        case ...Expiry.day: .day
        default: .soon
        }
    }

    /// The warning that a disk has become short; again only when it had a tenth free meanwhile.
    mutating func due(_ disk: DiskSpace?) -> String? {
        guard let disk else { return nil }
        if disk.freeBytes >= disk.byteCount / 10 { isDiskShort = false }
        guard disk.freeBytes < disk.byteCount / 20, !isDiskShort else { return nil }
        isDiskShort = true
        return "cache_file: its disk has \(Figure.bytes(disk.freeBytes)) left of \(Figure.bytes(disk.byteCount)); "
            + "when it is full, new answers are kept in memory only"
    }
}
