import Testing

@testable import EventLoop

@Suite struct TimerHoldTests {
    private static let start = Instant(nanoseconds: 3_600_000_000_000)

    /// Notes a turn that was expected at `expected` and took place at `now`, in milliseconds.
    /// - Returns: when timers may run, or nil where they may at once.
    private static func note(_ hold: inout TimerHold, _ expected: Int?, _ now: Int) -> Int? {
        let instant = start + .milliseconds(now)
        hold.noteTurn(expected: expected.map { start + .milliseconds($0) }, at: instant)
        guard hold.end > instant else { return nil }
        return Int((hold.end - start).wholeNanoseconds / 1_000_000)
    }

    @Test func timersThatAreLateByLittleRunAtOnce() {
        var hold = TimerHold()
        #expect(Self.note(&hold, 0, 0) == nil)
        #expect(Self.note(&hold, 0, 999) == nil)
        // It was to wait for the kernel alone, however long.
        #expect(Self.note(&hold, nil, 100_000) == nil)
        #expect(Self.note(&hold, 200_000, 150_000) == nil)
    }

    @Test func timersOfALoopThatWasNotRunWaitForWhatCameMeanwhile() {
        var hold = TimerHold()
        #expect(Self.note(&hold, 0, 1_000) == 1_250)
        // Turns for what came do not make it longer, nor do they end it.
        #expect(Self.note(&hold, nil, 1_001) == 1_250)
        #expect(Self.note(&hold, 1_250, 1_249) == 1_250)
        #expect(Self.note(&hold, 1_250, 1_251) == nil)
        hold.noteTimersRun()
        // Stopped once more.
        #expect(Self.note(&hold, 1_300, 9_000) == 9_250)
    }

    @Test func timersOfALoopThatIsAlwaysLateRunAllTheSame() {
        var hold = TimerHold()
        #expect(Self.note(&hold, 0, 1_300) == 1_550)
        // Turns until the timer fires, and the one that was set for the end of the hold, all late.
        #expect(Self.note(&hold, 0, 1_540) == 1_550)
        #expect(Self.note(&hold, 0, 2_600) == nil)
        #expect(Self.note(&hold, 1_550, 3_900) == nil)
        hold.noteTimersRun()
        #expect(Self.note(&hold, 3_900, 5_200) == 5_450)
    }
}
