import EventLoop
import Testing

@testable import Traffic

@Suite struct ReplayTimelineTests {
    private static let millisecond: Int64 = 1_000_000

    private static func slots(_ timeline: ReplayTimeline) -> [ReplayResult.Slot] {
        var (timeline, result) = (timeline, ReplayResult.empty)
        timeline.fill(&result)
        return result.slots
    }

    /// A stall of two seconds was a gap in the chart, with one high step after it: latencies were
    /// drawn at the times of the answers. A hundred requests a second, each answered in a
    /// millisecond but for the hundredth.
    @Test func aStallIsDrawnWhereWhatItHeldBackWasDue() throws {
        let schedule = Schedule(
            recorded: (0..<500).map { .milliseconds(10 * $0) }, pace: .recorded(speed: 1))
        var timeline = ReplayTimeline(expecting: schedule.expectedLength)
        OneAtATime { ($0 == 100 ? 2000 : 1) * Self.millisecond }.play(schedule) { event in
            switch event {
            case .lag: break
            case .sent(let now): timeline.noteSent(at: now)
            case .answered(let position, _, let now):
                timeline.noteAnswer(latency: now - (schedule.due(position) ?? 0), side: .hit, at: now)
            }
        }
        let slots = Self.slots(timeline)
        try #require(timeline.slotLength == 100 * Self.millisecond && slots.count == 50)
        // Latencies leave no gap: requests that are due in a stall are answered after it.
        #expect(slots.allSatisfy { $0.median != nil && $0.p99 != nil && $0.maximum != nil })
        #expect(slots[9].maximum == 1_000_000 && slots[10].maximum == 2_000_000_000)
        // Each was due 10 ms after the one before it, and answered 1 ms after it.
        for (index, slot) in slots[10..<30].enumerated() {
            #expect(slot.maximum.map { $0 / 1_000_000 } == 2000 - 90 * index, "slot \(10 + index)")
        }
        #expect((slots[15].median ?? 0) > 1_450_000_000 && (slots[15].p99 ?? 0) > 1_500_000_000)
        #expect(slots.last?.maximum == 1_000_000)
        // Counts are of what happened meanwhile: nothing.
        #expect(slots[11..<30].allSatisfy { $0.sent == 0 && $0.answered == 0 })
        #expect(slots[30].answered == 100 && slots[30].hits == 100)
        #expect(slots.reduce(0) { $0 + $1.answered } == 500 && slots.reduce(0) { $0 + $1.sent } == 500)
    }

    @Test func whatIsReadOffASlotIsCloseToWhatWasRecorded() {
        for latency in [0, 15, 16, 1023, 2047, 2048, 65_537, 1_234_567, 987_654_321, 30_000_000_000] as [Int64] {
            var timeline = ReplayTimeline(expecting: .seconds(3))
            for _ in 0..<99 { timeline.noteAnswer(latency: latency, side: nil, at: latency) }
            timeline.noteAnswer(latency: 2 * latency + 1000, side: nil, at: 2 * latency + 1000)
            let slot = Self.slots(timeline)[0]
            let most = latency + max(16, latency * 16 / 1000)
            #expect((latency...most).contains(Int64(slot.median ?? -1)), "\(latency)")
            #expect(slot.median == slot.p99 && slot.maximum == Int(2 * latency + 1000), "\(latency)")
        }
    }

    /// If the end of a run is not known, `mostOpen` slots are kept open, and no more.
    @Test func anAnswerThatComesAfterItsSlotWasClosedIsTheLargestOfIt() throws {
        let second: Int64 = 1_000_000_000
        var timeline = ReplayTimeline(expecting: nil)
        let last = Int64(ReplayTimeline.mostOpen)
        timeline.noteAnswer(latency: 1000, side: .miss, at: 1000)
        for index in 1...last { timeline.noteAnswer(latency: 1000, side: .miss, at: index * second + 1000) }
        timeline.noteAnswer(latency: last * second, side: .miss, at: last * second)
        let slots = Self.slots(timeline)
        try #require(slots.count == ReplayTimeline.mostOpen + 1)
        #expect(slots[0].p99 == 1000 && slots[0].maximum == Int(last * second))
    }
}

extension ReplayResult {
    fileprivate static var empty: ReplayResult {
        ReplayResult(file: "", target: "", pace: "", connections: 1, started: .now())
    }
}
