import Glibc
import Testing

@testable import EventLoop

@Suite(.timeLimit(.minutes(10))) struct TimerHoldTests: LoopSuite {
    let scene = LoopScene()

    private static let start = Instant(nanoseconds: 3_600_000_000_000)

    /// Notes a turn that was expected at `expected` and took place at `now`, in milliseconds.
    /// - Returns: when timers may run, or nil where they may at once.
    private static func note(_ hold: inout TimerHold, _ expected: Int, _ now: Int) -> Int? {
        let instant = start + .milliseconds(now)
        hold.noteTurn(expected: start + .milliseconds(expected), at: instant)
        guard hold.end > instant else { return nil }
        return Int((hold.end - start).wholeNanoseconds / 1_000_000)
    }

    @Test func timersThatAreLateByLittleRunAtOnce() {
        var hold = TimerHold()
        #expect(Self.note(&hold, 0, 0) == nil)
        #expect(Self.note(&hold, 0, 99) == nil)
        #expect(Self.note(&hold, 200_000, 150_000) == nil)
    }

    @Test func timersOfALateLoopWaitAsLongAgain() {
        var hold = TimerHold()
        #expect(Self.note(&hold, 0, 100) == 200)
        // Turns for other events do not make it longer, nor do they end it.
        #expect(Self.note(&hold, 101, 150) == 200)
        #expect(Self.note(&hold, 200, 199) == 200)
        #expect(Self.note(&hold, 200, 201) == nil)
        hold.noteTimersRun()
        #expect(Self.note(&hold, 250, 850) == 1_450)
    }

    @Test func timersWaitASecondAfterALongStop() {
        var hold = TimerHold()
        #expect(Self.note(&hold, 0, 17_000) == 18_000)
        #expect(Self.note(&hold, 18_000, 18_001) == nil)
        hold.noteTimersRun()
        // Stopped once more.
        #expect(Self.note(&hold, 18_500, 30_000) == 31_000)
    }

    @Test func timersOfALoopThatIsAlwaysLateRun() {
        var hold = TimerHold()
        #expect(Self.note(&hold, 0, 1_300) == 2_300)
        // Turns until the timer fires, and the one that was set for the end of the hold, all late.
        #expect(Self.note(&hold, 0, 2_290) == 2_300)
        #expect(Self.note(&hold, 0, 3_600) == nil)
        #expect(Self.note(&hold, 2_300, 4_900) == nil)
        hold.noteTimersRun()
        #expect(Self.note(&hold, 4_900, 6_200) == 7_200)
    }

    /// The end of its turn set the timer anew, as if it had just become due.
    @Test func timersWaitAfterAStopWithinATurn() throws {
        var (turnEnded, timerRan): (Instant?, Instant?)
        loop.sync {
            loop.schedule(after: .milliseconds(50)) { [loop] in timerRan = loop.currentTime }
            usleep(400_000)
            turnEnded = loop.currentTime
        }
        #expect(loop.eventually { timerRan != nil })
        #expect(try #require(timerRan) - #require(turnEnded) >= .milliseconds(300))
    }
}
