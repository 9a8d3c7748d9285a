import Dispatch
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import EventLoop

@Suite(.timeLimit(.minutes(10))) struct SignalWatcherTests {
    @Test func theFirstSignalRunsTheHandlerOnItsQueue() {
        let queue = DispatchQueue(label: "signals")
        let count = Mutex(0)
        let watcher = SignalWatcher(queue: queue)
        watcher.on(SIGUSR2) {
            dispatchPrecondition(condition: .onQueue(queue))
            count.withLock { $0 += 1 }
        }
        kill(getpid(), SIGUSR2)
        waitUntil { count.withLock { $0 } > 0 }
        #expect(count.withLock { $0 } == 1)
        withExtendedLifetime(watcher) {}
    }
}
