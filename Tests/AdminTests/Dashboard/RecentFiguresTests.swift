import EventLoop
import Testing

@testable import Admin
@testable import Proxy

/// What is called now, and what is called the hour.
@Suite struct RecentFiguresTests {
    private func totals(_ hits: Int) -> History.Totals {
        var totals = History.Totals()
        totals.outcomes[Outcome.hit.rawValue] = hits
        return totals
    }

    private let start = Instant(nanoseconds: 1_000_000_000_000)

    @Test func aRateIsOfTheLastFiveSecondsWhereEachIsNoted() {
        var recent = RecentTotals()
        for second in 0...20 { recent.note(totals(second * second), at: start + .seconds(second)) }
        let window = recent.window(totals(400), at: start + .seconds(20))
        #expect(window.totals == totals(400 - 225) && window.seconds == 5)
        #expect(window.perSecond(window.totals.sum) == 35)
    }

    /// While nobody watches, there is one sample in ten seconds.
    @Test func fewerSamplesMakeTheWindowLonger() {
        var recent = RecentTotals()
        recent.note(totals(0), at: start)
        recent.note(totals(50), at: start + .seconds(10))
        let window = recent.window(totals(60), at: start + .seconds(12))
        #expect(window.totals == totals(60) && window.seconds == 12)
    }

    @Test func withoutSamplesThereIsNoRate() {
        #expect(RecentTotals().window(totals(7), at: start).perSecond(7) == 0)
    }

    @Test func theHourIsAllSlotsAndWhatCameSince() {
        var history = History(totals(100))
        history.endSlot(totals(103))
        #expect(history.hour(totals(108)) == totals(8))
    }

    @Test func latenciesOlderThanAnHourAreForgotten() {
        let histogram = LatencyHistogram()
        func counts() -> LatencyHour.Counts { LatencyHour.Counts(hits: histogram.snapshot) }
        var hour = LatencyHour()
        histogram.record(nanoseconds: 5000)
        #expect(hour.window(counts()).hits.count == 1)
        for _ in 1..<12 { hour.mark(counts()) }
        #expect(hour.window(counts()).hits.count == 1)
        histogram.record(nanoseconds: 9000)
        hour.mark(counts())
        #expect(hour.window(counts()).hits.count == 1)
    }

    /// A reload that moves the listener makes a new hour: what was counted before is not of it.
    @Test func whatWasCountedBeforeTheHourBeganIsNotOfIt() {
        let histogram = LatencyHistogram()
        histogram.record(nanoseconds: 5000)
        let hour = LatencyHour(LatencyHour.Counts(hits: histogram.snapshot))
        histogram.record(nanoseconds: 9000)
        #expect(hour.window(LatencyHour.Counts(hits: histogram.snapshot)).hits.count == 1)
    }

    @Test func savedIsWhatAppleDidNotGet() {
        var totals = totals(90)
        totals.outcomes[Outcome.miss.rawValue] = 10
        totals.outcomes[Outcome.refused.rawValue] = 5
        totals.upstream = 12
        #expect(totals.sum == 105 && totals.answered == 100 && totals.requestsSaved == 88)
        #expect(totals.ratio == "90.0 %")
        totals.upstream = 1000
        #expect(totals.requestsSaved == 0)
    }
}
