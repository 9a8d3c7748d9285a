import Cache
import Synchronization

/// While two processes answer for one proxy, nothing personal is kept or found by either.
///
/// Each of them sees only its own users' writes, so what one has kept may be what the other has
/// seen change.
final class PersonalPause: Sendable {
    /// Unix seconds.
    private let end = Atomic<Int64>(.min)

    /// Holds until `finish`.
    func begin() { end.store(.max, ordering: .releasing) }

    /// The other process has gone. Its last write becomes visible with a delay, like any other
    /// (`UserGenerations.quietPeriod`).
    func finish(at unixSeconds: Int64) {
        end.store(unixSeconds + UserGenerations.quietPeriod, ordering: .releasing)
    }

    func holds(at unixSeconds: Int64) -> Bool { unixSeconds < end.load(ordering: .acquiring) }
}
