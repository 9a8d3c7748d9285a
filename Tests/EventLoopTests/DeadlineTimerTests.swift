import Testing

@testable import EventLoop

@Suite struct DeadlineTimerTests {
    @Test func theDeadlineThatWasSetLastCounts() throws {
        #expect(try firings { $0.set($1 + .seconds(10)) } == [10])
        #expect(
            try firings { timer, now in
                timer.set(now + .seconds(10))
                timer.set(now + .seconds(20))
            } == [20])
        #expect(
            try firings { timer, now in
                timer.set(now + .seconds(20))
                timer.set(now + .seconds(10))
            } == [10])
    }

    @Test func aDeadlineIsHastenedOrCleared() throws {
        let hastened = try firings { timer, now in
            for seconds in [20, 10, 30] { timer.hasten(to: now + .seconds(seconds)) }
        }
        let cleared = try firings { timer, now in
            timer.set(now + .seconds(10))
            timer.clear()
        }
        #expect(hastened == [10] && cleared == [])
    }

    /// The seconds after which a timer fires on which `use` is called.
    private func firings(_ use: (DeadlineTimer, Instant) -> Void) throws -> [Int] {
        var seen: [Int] = []
        try inVirtualTime { loop, end in
            let timer = DeadlineTimer(loop: loop)
            timer.action = { seen.append(Int((loop.now - VirtualTime.start) / .seconds(1))) }
            use(timer, loop.now)
            loop.schedule(after: .seconds(100)) {
                timer.cancel()
                end()
            }
        }
        return seen
    }
}
