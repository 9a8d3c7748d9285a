import Dispatch
import EventLoop
import Glibc
import Synchronization
import TestSupport
import Testing

struct BackgroundThreadTests {
    @Test func aThreadHasTheLeastShareAndTakesNoSignals() throws {
        let found = Mutex<(refusal: CInt?, nice: CInt, isBlocked: Bool)?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        let problem = BackgroundThread.start { refusal in
            let nice = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
            var mask = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &mask)
            let isBlocked = [SIGTERM, SIGHUP, SIGXFSZ].allSatisfy { sigismember(&mask, $0) == 1 }
            found.withLock { $0 = (refusal, nice, isBlocked) }
            isDone.signal()
        }
        try #require(problem == nil)
        isDone.waitOrFail(within: 900)
        let (refusal, nice, isBlocked) = try #require(found.withLock { $0 })
        #expect(refusal == nil && nice == 19 && isBlocked)
    }
}
