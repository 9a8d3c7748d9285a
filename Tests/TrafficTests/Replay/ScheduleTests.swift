import Testing

@testable import Traffic

@Suite struct ScheduleTests {
    private static let recorded: [Duration] = [.seconds(5), .milliseconds(5100), .milliseconds(5100), .seconds(6)]

    private static func times(_ schedule: Schedule, _ count: Int) -> [Int64?] {
        (0..<count).map { schedule.due($0).map { $0 / 1_000_000 } }
    }

    @Test func theFirstRequestIsDueAtOnceAndTheOthersKeepTheirDistance() {
        let schedule = Schedule(recorded: Self.recorded, pace: .recorded(speed: 1))
        #expect(Self.times(schedule, 4) == [0, 100, 100, 1000] && schedule.count == 4)
        #expect(schedule.expectedLength == .seconds(1))
    }

    @Test(arguments: [(10.0, [0, 10, 10, 100]), (0.5, [0, 200, 200, 2000])])
    func speedDividesEveryTime(_ speed: Double, _ expected: [Int64]) {
        #expect(Self.times(Schedule(recorded: Self.recorded, pace: .recorded(speed: speed)), 4) == expected)
    }

    @Test func aRateSpacesEvenlyAndAddsUpNoRounding() {
        let schedule = Schedule(
            recorded: Self.recorded, pace: .rate(RequestRate(perSecond: 3)), duration: .seconds(3600), repeats: true)
        #expect(Self.times(schedule, 4) == [0, 333, 666, 1000])
        #expect(schedule.due(3 * 3599) == 3_599_000_000_000 && schedule.count == 3 * 3600)
    }

    @Test func aRoundBeginsOneMeanDistanceAfterTheLast() {
        let schedule = Schedule(
            recorded: Self.recorded, pace: .recorded(speed: 1), duration: .seconds(3), repeats: true)
        #expect(Self.times(schedule, 9).map { $0 ?? -1 } == [0, 100, 100, 1000, 1333, 1433, 1433, 2333, 2666])
        #expect((0..<9).map(schedule.index) == [0, 1, 2, 3, 0, 1, 2, 3, 0])
        // 2666, 2766, 2766 and not 3666.
        #expect(schedule.count == 11)
    }

    @Test func nothingIsDueWhenTheDurationIsOver() {
        let short = Schedule(recorded: Self.recorded, pace: .recorded(speed: 1), duration: .milliseconds(100))
        #expect(short.count == 1)
        #expect(
            Schedule(recorded: Self.recorded, pace: .rate(RequestRate(perSecond: 10)), duration: .milliseconds(101))
                .count == 2)
        #expect(
            Schedule(recorded: Self.recorded, pace: .rate(RequestRate(perSecond: 10)), duration: .seconds(60)).count
                == 4)
    }

    @Test func aSingleRequestIsRepeatedEverySecond() {
        let schedule = Schedule(
            recorded: [.seconds(9)], pace: .recorded(speed: 2), duration: .seconds(3), repeats: true)
        #expect(Self.times(schedule, 3) == [0, 1000, 2000] && schedule.count == 3)
    }

    @Test func aClosedLoopHasNoTimesAndAnEndOnlyByDuration() {
        let once = Schedule(recorded: Self.recorded, pace: .closed)
        #expect(once.due(1) == nil && once.count == 4 && once.end == nil && once.expectedLength == nil)
        let loop = Schedule(recorded: Self.recorded, pace: .closed, duration: .seconds(2), repeats: true)
        #expect(loop.count == nil && loop.end == 2_000_000_000 && loop.expectedLength == .seconds(2))
    }

    /// An entry of a HAR file from the year 1, or a speed of a thousandth, trapped in the
    /// conversion.
    @Test(arguments: [1e-300, 0.001, 1, 1e9])
    func timesBeyondAnyWaitTrapped(_ speed: Double) {
        let recorded = [Duration.seconds(-63_000_000_000), .zero, .seconds(9_000_000_000_000)]
        for repeats in [false, true] {
            let schedule = Schedule(
                recorded: recorded, pace: .recorded(speed: speed), duration: repeats ? .seconds(1) : nil,
                repeats: repeats)
            #expect(schedule.due(0) == 0 && (schedule.due(2) ?? 0) >= (schedule.due(1) ?? 0))
            #expect((schedule.count ?? 0) >= 1)
        }
    }
}
