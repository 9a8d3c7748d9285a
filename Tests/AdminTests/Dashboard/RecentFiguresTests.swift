import EventLoop
import Testing

@testable import Admin
@testable import Proxy

/// The figures called `now` and `hour`.
@Suite struct RecentFiguresTests {
    private let start = Instant(nanoseconds: 1_000_000_000_000)

    @Test func ratesAreOfTheLastFiveSeconds() {
        var recent = RecentTotals()
        for second in 0...20 { recent.note(totals([.hit: second * second]), at: start + .seconds(second)) }
        let window = recent.window(totals([.hit: 400]), at: start + .seconds(20))
        #expect(window.totals == totals([.hit: 400 - 225]) && window.seconds == 5)
        #expect(window.perSecond(window.totals.sum) == 35)
    }

    /// While no page watches, there is one sample in ten seconds.
    @Test func fewerSamplesMakeTheWindowLonger() {
        var recent = RecentTotals()
        recent.note(totals([.hit: 0]), at: start)
        recent.note(totals([.hit: 50]), at: start + .seconds(10))
        let window = recent.window(totals([.hit: 60]), at: start + .seconds(12))
        #expect(window.totals == totals([.hit: 60]) && window.seconds == 12)
    }

    @Test func withoutSamplesThereIsNoRate() {
        #expect(RecentTotals().window(totals([.hit: 7]), at: start).perSecond(7) == 0)
    }

    @Test func theHourIsAllSlotsAndWhatCameSince() {
        var history = History(totals([.hit: 100]))
        history.endSlot(totals([.hit: 103]))
        #expect(history.sum(.hour, totals([.hit: 108])) == totals([.hit: 8]))
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

    /// A reload that moves the listener makes a new hour: earlier counts are not of it.
    @Test func countsBeforeTheHourAreLeftOut() {
        let histogram = LatencyHistogram()
        histogram.record(nanoseconds: 5000)
        let hour = LatencyHour(LatencyHour.Counts(hits: histogram.snapshot))
        histogram.record(nanoseconds: 9000)
        #expect(hour.window(LatencyHour.Counts(hits: histogram.snapshot)).hits.count == 1)
    }

    @Test func savedIsWhatAppleDidNotGet() {
        var all = totals([.hit: 90, .miss: 10, .refused: 5], upstream: 12)
        #expect(all.sum == 105 && all.answered == 100 && all.requestsSaved == 88)
        #expect(all.ratio == "90.0 %")
        all.upstream = 1000
        #expect(all.requestsSaved == 0)
    }
}
