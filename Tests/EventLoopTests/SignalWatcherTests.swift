import Dispatch
import Glibc
import Synchronization
import Testing

@testable import EventLoop

@Suite struct SignalWatcherTests {
    @Test func runsTheHandlerOnItsQueue() throws {
        try withLoop { loop in
            let count = Mutex(0)
            let watcher = SignalWatcher(queue: loop.queue)
            watcher.on(SIGUSR2) {
                loop.assertOnLoop()
                count.withLock { $0 += 1 }
            }
            // Dispatch installs the watch a little later; the signal is ignored until then, not
            // deadly.
            #expect(
                loop.eventually {
                    kill(getpid(), SIGUSR2)
                    return count.withLock { $0 } > 0
                })
            withExtendedLifetime(watcher) {}
        }
    }
}
