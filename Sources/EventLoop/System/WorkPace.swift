import Dispatch
import Glibc

// The rests of background work, in which it leaves the processors to the loops.
// Must hold: a piece is short, and is followed by several times as much rest. Where loops and work
// share processors, a request then waits for one piece at most, and few meet one.

/// The rests of background work.
public enum WorkPace {
    /// Times as much rest as work.
    static let rests: UInt64 = 3
    /// The longest rest, in nanoseconds, however long a slow disk or a busy machine made a piece.
    static let longestRest: UInt64 = 50_000_000

    /// How long to rest after a piece that took so long, in nanoseconds.
    public static func rest(after nanoseconds: UInt64) -> UInt64 {
        let (rest, overflows) = nanoseconds.multipliedReportingOverflow(by: rests)
        return overflows ? longestRest : min(rest, longestRest)
    }

    /// Runs `work` with a function that it calls between two of its pieces, which rests there. For
    /// threads that nothing else waits for.
    public static func resting<R>(_ work: (() -> Void) -> R) -> R {
        var begun = DispatchTime.now().uptimeNanoseconds
        return work {
            usleep(UInt32(rest(after: DispatchTime.now().uptimeNanoseconds - begun) / 1_000))
            begun = DispatchTime.now().uptimeNanoseconds
        }
    }
}
