import EventLoop
import Testing

@testable import Tier

@Suite struct PipelineQueueTests {
    private let now = Instant(nanoseconds: 1_000_000_000_000)

    private func id(_ number: Int) -> SessionState.PipelineID { .init(number: number) }

    /// Pipelines of so many replies each, numbered from 0, due a second apart.
    private func queue(_ commandCounts: Int...) -> PipelineQueue {
        var queue = PipelineQueue(limits: SessionLimits())
        for (number, count) in commandCounts.enumerated() {
            queue.add(.init(id(number), [1, 2, 3], commandCount: count, deadline: now + .seconds(number + 1)))
        }
        return queue
    }

    @Test func everyPipelineIsSentOnce() {
        var queue = queue(1, 1)
        #expect(!queue.isAwaiting && queue.count == 2 && queue.byteCount == 6)
        #expect(queue.takeUnsent(now: now) == [[1, 2, 3], [1, 2, 3]])
        #expect(queue.isAwaiting && queue.takeUnsent(now: now) == [])
        #expect(queue.byteCount == 6)
    }

    @Test func repliesGoToTheOldest() {
        var queue = queue(2, 1)
        _ = queue.takeUnsent(now: now)
        #expect(queue.take(.integer(1))?.id == nil)
        let first = queue.take(.integer(2))
        #expect(first?.id == id(0) && first?.replies == [.integer(1), .integer(2)] && first?.sentAt == now)
        #expect(queue.take(.integer(3))?.id == id(1))
        #expect(!queue.isAwaiting && queue.count == 0 && queue.byteCount == 0)
    }

    @Test func whatIsOverdueIsFound() {
        var queue = queue(1, 1, 1)
        #expect(queue.earliestDeadline == now + .seconds(1))
        #expect(queue.removeUnsent(dueBy: now + .milliseconds(999)) == [])
        #expect(queue.removeUnsent(dueBy: now + .seconds(1)) == [id(0)])
        _ = queue.takeUnsent(now: now)
        #expect(queue.removeUnsent(dueBy: now + .seconds(9)) == [])
        #expect(queue.overdueSent { $0 <= now + .seconds(2) } == 1)
        #expect(queue.overdueSent { $0 <= now + .seconds(3) } == 2)
    }

    @Test func onlyTheSentAreRemovedWithTheirConnection() {
        var queue = queue(1, 1)
        _ = queue.takeUnsent(now: now)
        queue.add(.init(id(2), [1], commandCount: 1, deadline: now))
        #expect(queue.removeSent() == [id(0), id(1)])
        #expect(queue.count == 1 && queue.byteCount == 1 && !queue.isAwaiting)
        #expect(queue.takeUnsent(now: now) == [[1]])
    }
}
