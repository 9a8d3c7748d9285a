import Testing

@testable import EventLoop

@Suite struct TimerOrderTests {
    /// Schedules, cancels and schedules from inside; returns the order of running.
    private final class Script {
        var order: [String] = []
        var cancelled: TimerToken?

        func start(_ loop: EventLoop) {
            let start = loop.now
            loop.schedule(at: start + .milliseconds(30)) { [self] in order.append("late") }
            loop.schedule(at: start + .milliseconds(10)) { [self] in
                order.append("early")
                if let cancelled { loop.cancel(cancelled) }
                loop.schedule(at: start) { [self] in order.append("overdue") }
                loop.schedule(at: start + .milliseconds(15)) { [self] in order.append("nested") }
            }
            loop.schedule(at: start + .milliseconds(10)) { [self] in order.append("early, second") }
            cancelled = loop.schedule(at: start + .milliseconds(20)) { [self] in order.append("cancelled") }
        }

        static let expected = ["early", "overdue", "early, second", "nested", "late"]
    }

    @Test func timersRunByDeadlineAndThenByWhenTheyWereScheduled() throws {
        try withLoop { loop in
            let script = Script()
            loop.sync { script.start(loop) }
            #expect(loop.eventually { script.order.count == 5 })
            #expect(loop.sync { script.order } == Script.expected)
        }
    }
}
