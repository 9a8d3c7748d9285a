import EventLoop
import Testing

@testable import Admin
@testable import Proxy

/// The figures called `now` and `hour`.
@Suite struct RecentFiguresTests {
    private let start = Instant(nanoseconds: 1_000_000_000_000)

    @Test func ratesAreOfTheLastFiveSeconds() {
        var recent = CountMarks<History.Totals>.recent
        for second in 0...20 { recent.note(totals([.hit: second * second]), at: start + .seconds(second)) }
        let window = recent.window(totals([.hit: 400]), at: start + .seconds(20))
        #expect(window.counts == totals([.hit: 400 - 225]) && window.seconds == 5)
        #expect(window.perSecond(window.counts.sum) == 35)
    }

    /// While no page watches, there is one sample in ten seconds.
    @Test func fewerSamplesMakeTheWindowLonger() {
        var recent = CountMarks<History.Totals>.recent
        recent.note(totals([.hit: 0]), at: start)
        recent.note(totals([.hit: 50]), at: start + .seconds(10))
        let window = recent.window(totals([.hit: 60]), at: start + .seconds(12))
        #expect(window.counts == totals([.hit: 60]) && window.seconds == 12)
    }

    @Test func withoutSamplesThereIsNoRate() {
        #expect(CountMarks.recent.window(totals([.hit: 7]), at: start).perSecond(7) == 0)
    }

    @Test func theHourIsAllSlotsAndWhatCameSince() {
        var history = History(totals([.hit: 100]))
        history.endSlot(totals([.hit: 103]))
        #expect(history.sum(.hour, totals([.hit: 108])) == totals([.hit: 8]))
    }

    @Test func latenciesOlderThanAnHourAreForgotten() {
        let histogram = LatencyHistogram()
        var hour = CountMarks<LatencySides>.hour
        func note(after minutes: Int) {
            hour.note(LatencySides(hits: histogram.snapshot), at: start + .seconds(60 * minutes))
        }
        func hits(after minutes: Int) -> Int {
            hour.window(LatencySides(hits: histogram.snapshot), at: start + .seconds(60 * minutes)).counts.hits.count
        }
        note(after: 0)
        histogram.record(nanoseconds: 5000)
        #expect(hits(after: 1) == 1)
        for mark in 1..<12 { note(after: 5 * mark) }
        #expect(hits(after: 59) == 1)
        histogram.record(nanoseconds: 9000)
        note(after: 60)
        #expect(hits(after: 60) == 1)
    }

    /// A reload that moves the listener makes a new hour: earlier counts are not of it.
    @Test func countsBeforeTheHourAreLeftOut() {
        let histogram = LatencyHistogram()
        histogram.record(nanoseconds: 5000)
        var hour = CountMarks<LatencySides>.hour
        hour.note(LatencySides(hits: histogram.snapshot), at: start)
        histogram.record(nanoseconds: 9000)
        #expect(hour.window(LatencySides(hits: histogram.snapshot), at: start).counts.hits.count == 1)
    }

    @Test func savedIsWhatAppleDidNotGet() {
        var all = totals([.hit: 90, .miss: 10, .refused: 5], upstream: 12)
        #expect(all.sum == 105 && all.answered == 100 && all.requestsSaved == 88)
        #expect(all.ratio == "90.0 %")
        all.upstream = 1000
        #expect(all.requestsSaved == 0)
    }
}
