import Dispatch
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import EventLoop

@Suite(.timeLimit(.minutes(10))) struct LoopQueueTests {
    @Test func queuedWorkIsNotWaitedFor() throws {
        let queue = try LoopQueue(label: "there")
        let waits = Atomic(0)
        queue.sync {
            queue.async {}
            let hasWork = queue.hasWork
            #expect(hasWork)
            #expect(queue.wait { waits.add(1, ordering: .relaxed).newValue } == 0)
        }
        queue.sync {
            let hasWork = queue.hasWork
            #expect(!hasWork)
            #expect(queue.wait { 7 } == 7)
        }
        #expect(waits.load(ordering: .relaxed) == 0)
    }

    /// No wake is lost, whatever is between the count and the look: the queue waits as long as
    /// nothing is there, and four threads hand in.
    @Test func everyPieceOfWorkEndsAWaitThatIsUnderWay() throws {
        let queue = try LoopQueue(label: "race")
        let begun = Atomic(0)
        let lost = Atomic(0)
        let pieces = 4 * 5000
        @Sendable func wait() {
            guard begun.load(ordering: .relaxed) < pieces else { return }
            _ = queue.wait {
                var poller = pollfd(fd: queue.wakeDescriptor, events: Int16(POLLIN), revents: 0)
                if poll(&poller, 1, 60_000) == 0 { lost.add(1, ordering: .relaxed) }
                queue.takeWake()
                return 1
            }
        }
        concurrently(4) { worker in
            for number in 0..<5000 {
                if (number + worker) % 10 == 0 {
                    queue.sync { begun.add(1, ordering: .relaxed) }
                } else {
                    queue.async {
                        begun.add(1, ordering: .relaxed)
                        wait()
                    }
                }
            }
        }
        queue.sync {}
        #expect(begun.load(ordering: .relaxed) == pieces)
        #expect(lost.load(ordering: .relaxed) == 0)
    }
}
