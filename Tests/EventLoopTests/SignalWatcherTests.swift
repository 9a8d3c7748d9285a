import Dispatch
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import EventLoop

@Suite struct SignalWatcherTests {
    @Test func runsTheHandlerOnItsQueue() {
        let queue = DispatchQueue(label: "signals")
        let count = Mutex(0)
        let watcher = SignalWatcher(queue: queue)
        watcher.on(SIGUSR2) {
            dispatchPrecondition(condition: .onQueue(queue))
            count.withLock { $0 += 1 }
        }
        // Dispatch installs the watch a little later; the signal is ignored until then, not deadly.
        waitUntil {
            kill(getpid(), SIGUSR2)
            return count.withLock { $0 } > 0
        }
        withExtendedLifetime(watcher) {}
    }
}
