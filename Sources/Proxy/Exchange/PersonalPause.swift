import Cache
import EventLoop
import Synchronization

/// While several processes answer for one proxy, none of them keeps or finds personal answers.
///
/// Each of them sees only its own users' writes, so what one has kept may be what another has seen
/// change. A process may have two others: the one whose place it took, which still leaves, and the
/// one to which it hands over.
final class PersonalPause: Sendable {
    /// Nanoseconds of an `Instant`; changes under the lock of `others`.
    private let end = Atomic<Int64>(.min)
    private let others = Mutex(0)

    /// Holds until there were as many calls of `finish`.
    func begin() {
        others.withLock { others in
            others += 1
            end.store(.max, ordering: .releasing)
        }
    }

    /// Another process has gone, and the answers kept before are freed. Its last write becomes
    /// visible with a delay, like any other (`UserGenerations.quietPeriod`).
    func finish(at now: Instant) {
        others.withLock { others in
            precondition(others > 0, "only what has begun is finished")
            others -= 1
            if others == 0 { end.store((now + UserGenerations.quietPeriod).nanoseconds, ordering: .releasing) }
        }
    }

    func holds(at now: Instant) -> Bool { now.nanoseconds < end.load(ordering: .acquiring) }
}
