import Dispatch
import EventLoop
import TestSupport
import Testing

@testable import refrain

@Suite(.timeLimit(.minutes(10))) struct LoopWatchTests {
    private func second(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

    @Test func theProgramIsAliveWhenEveryLoopHasSpoken() {
        var watch = LoopWatch(loops: 2, patience: .seconds(2), at: second(0))
        #expect(watch.tick(at: second(1)) == [.ask(loop: 0), .ask(loop: 1)])
        #expect(watch.heard(loop: 1, at: second(1)) == [])
        #expect(watch.heard(loop: 0, at: second(1)) == [.tellAlive])
        #expect(watch.tick(at: second(2)) == [.ask(loop: 0), .ask(loop: 1)])
    }

    @Test func aStallIsSaidOnceAndSoIsItsEnd() {
        var watch = LoopWatch(loops: 2, patience: .seconds(2), at: second(0))
        _ = watch.tick(at: second(1))
        #expect(watch.heard(loop: 0, at: second(1)) == [])
        // The other is asked again; the program is silent.
        #expect(watch.tick(at: second(2)) == [.ask(loop: 0)])
        #expect(watch.heard(loop: 0, at: second(2)) == [])
        #expect(watch.tick(at: second(3)) == [.ask(loop: 0), .sayStalled(loop: 1, .seconds(2))])
        #expect(watch.tick(at: second(4)) == [])
        #expect(watch.heard(loop: 1, at: second(4.5)) == [.sayRecovered(loop: 1, .seconds(3.5)), .tellAlive])
        #expect(watch.heard(loop: 1, at: second(4.5)) == [])
    }

    /// SIGSTOP and SIGCONT, or a machine that had no time for the process.
    @Test func timeInWhichNobodyLookedIsNoStall() {
        var watch = LoopWatch(loops: 1, patience: .seconds(2), at: second(0))
        _ = watch.tick(at: second(1))
        #expect(watch.tick(at: second(60)) == [])
        #expect(watch.tick(at: second(61)) == [])
        #expect(watch.tick(at: second(62)) == [.sayStalled(loop: 0, .seconds(2))])
    }

    /// A loop that is stuck leaves the service manager without a word, and is named.
    @Test func aLoopThatDoesNotAnswerIsSaidAndNotAlive() {
        let (answers, alive, stalled) = (Count(), Count(), Count())
        let watchdog = Watchdog(
            loops: 2, interval: .milliseconds(400),
            Watchdog.Effects(
                ask: { loop, answer in
                    // The second loop is stuck from the third question on.
                    if loop == 1 { answers.add() }
                    if loop == 0 || answers.now <= 2 { answer() }
                },
                tellAlive: alive.add,
                sayStalled: { loop, _ in if loop == 1 { stalled.add() } },
                sayRecovered: { _, _ in }))
        waitUntil { stalled.now == 1 }
        withExtendedLifetime(watchdog) {}
        #expect(alive.now == 2)
    }
}
