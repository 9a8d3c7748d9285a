import Foundation
import Synchronization

/// The threads that tests run on: one for each test that runs or blocks at the moment.
///
/// Swift's own pool has one thread a core and expects that nothing blocks. Tests do block: they
/// read from sockets, wait for processes, sleep. Two of them held all of the pool on a machine with
/// two cores, and all other tasks were late. The tasks of a test inherit this executor from the
/// program's entry (`XCTMain.swift`). A `Task { }` does not: it has Swift's pool, which is free.
public final class TestThreads: TaskExecutor {
    public static let shared = TestThreads()

    private struct State {
        var jobs: [UnownedJob] = []
        /// Threads that wait and that no signal is on its way to.
        var idle = 0
    }

    private let state = Mutex(State())
    private let signals = DispatchSemaphore(value: 0)

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let wakesOne = state.withLock { state in
            state.jobs.append(job)
            guard state.idle > 0 else { return false }
            state.idle -= 1
            return true
        }
        if wakesOne { signals.signal() } else { Thread.detachNewThread { [self] in run() } }
    }

    private func run() {
        while true {
            let next: UnownedJob? = state.withLock { state in
                if state.jobs.isEmpty {
                    state.idle += 1
                    return nil
                }
                return state.jobs.removeFirst()
            }
            if let next { next.runSynchronously(on: asUnownedTaskExecutor()) } else { signals.wait() }
        }
    }
}
