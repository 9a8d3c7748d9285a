import Testing

@testable import EventLoop

@Suite struct DeadlineTimerTests {
    @Test(arguments: [[10], [10, 20], [20, 10]]) func theDeadlineThatWasSetLastCounts(set: [Int]) throws {
        let fired = try firings { timer, now in for seconds in set { timer.set(now + .seconds(seconds)) } }
        #expect(fired == Array(set.suffix(1)))
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
