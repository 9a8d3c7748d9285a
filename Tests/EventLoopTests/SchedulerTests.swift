import Testing

@testable import EventLoop

/// `ManualLoop` and `EventLoop` run the same script alike.
@Suite struct SchedulerTests {
    /// Schedules, cancels and schedules from inside; returns the order of running.
    private final class Script {
        var order: [String] = []
        var cancelled: TimerToken?

        func start(_ scheduler: any Scheduler) {
            let start = scheduler.now
            scheduler.schedule(at: start + .milliseconds(30)) { [self] in order.append("late") }
            scheduler.schedule(at: start + .milliseconds(10)) { [self] in
                order.append("early")
                if let cancelled { scheduler.cancel(cancelled) }
                scheduler.schedule(at: start) { [self] in order.append("overdue") }
                scheduler.schedule(at: start + .milliseconds(15)) { [self] in order.append("nested") }
            }
            scheduler.schedule(at: start + .milliseconds(10)) { [self] in order.append("early, second") }
            cancelled = scheduler.schedule(at: start + .milliseconds(20)) { [self] in order.append("cancelled") }
        }

        static let expected = ["early", "overdue", "early, second", "nested", "late"]
    }

    @Test func manual() {
        let script = Script()
        let loop = ManualLoop()
        script.start(loop)
        loop.advance(by: .milliseconds(9))
        #expect(script.order.isEmpty && loop.timerCount == 4)
        loop.advance(by: .milliseconds(21))
        #expect(script.order == Script.expected)
        #expect(loop.timerCount == 0)
    }

    @Test func real() throws {
        try withLoop { loop in
            let script = Script()
            loop.sync { script.start(loop) }
            #expect(loop.eventually { script.order.count == 5 })
            #expect(loop.sync { script.order } == Script.expected)
        }
    }

    @Test func aManualLoopShowsEachTimerItsOwnDeadline() {
        let loop = ManualLoop()
        let start = loop.now
        var seen: [Duration] = []
        for delay in [3, 1, 2] { loop.schedule(after: .seconds(delay)) { seen.append(loop.now - start) } }
        loop.advance(by: .seconds(10))
        #expect(seen == [.seconds(1), .seconds(2), .seconds(3)])
        #expect(loop.now - start == .seconds(10))
    }
}
