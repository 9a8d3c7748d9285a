import Dispatch
import Glibc

/// The rests of background work, in which the loops have the processors.
///
/// Must hold: a piece is short, and three times as much rest follows it. Where loops and work share
/// processors, a request waits for one piece at most, and few requests meet one.
public enum WorkPace {
    /// Times as much rest as work.
    static let rests: UInt64 = 3
    /// The longest rest, in nanoseconds, however long a slow disk or a busy machine made a piece.
    static let longestRest: UInt64 = 50_000_000

    /// Returns the rest after a piece that took this time; both in nanoseconds.
    public static func rest(after nanoseconds: UInt64) -> UInt64 {
        let (rest, overflows) = nanoseconds.multipliedReportingOverflow(by: rests)
        return overflows ? longestRest : min(rest, longestRest)
    }

    /// Runs `work` with a function that rests, which it calls between two pieces. For threads that
    /// nothing else waits for.
    public static func resting<R>(_ work: (() -> Void) -> R) -> R {
        var begun = DispatchTime.now().uptimeNanoseconds
        return work {
            usleep(UInt32(rest(after: DispatchTime.now().uptimeNanoseconds - begun) / 1_000))
            begun = DispatchTime.now().uptimeNanoseconds
        }
    }
}
