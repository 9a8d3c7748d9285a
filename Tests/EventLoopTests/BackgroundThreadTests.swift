import CLinux
import Dispatch
import EventLoop
import Glibc
import Synchronization
import TestSupport
import Testing

struct BackgroundThreadTests {
    /// Runs `look` on a thread of this rank, and returns its result.
    private func found<T: Sendable>(
        _ rank: BackgroundThread.Rank, _ look: @escaping @Sendable () -> T
    ) throws -> (refusal: CInt?, T) {
        let result = Mutex<(refusal: CInt?, T)?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        let problem = BackgroundThread.start(rank) { refusal in
            let seen = look()
            result.withLock { $0 = (refusal, seen) }
            isDone.signal()
        }
        try #require(problem == nil)
        isDone.waitOrFail(within: 900)
        return try #require(result.withLock { $0 })
    }

    @Test func aThreadOfLowRankHasTheLeastShare() throws {
        let (refusal, nice) = try found(.low) { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }
        #expect(refusal == nil && nice == 19)
    }

    /// 5 is SCHED_IDLE, as /proc numbers it.
    @Test func anIdleThreadIsOneForTheKernelAndTakesNoSignals() throws {
        let before = sched_getscheduler(0)
        let (refusal, seen) = try found(.idle) { () -> (policy: CInt, isBlocked: Bool) in
            var mask = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &mask)
            return (sched_getscheduler(0), [SIGTERM, SIGHUP, SIGXFSZ].allSatisfy { sigismember(&mask, $0) == 1 })
        }
        #expect(refusal == nil && seen.policy == 5 && seen.isBlocked)
        #expect(sched_getscheduler(0) == before)
    }
}
