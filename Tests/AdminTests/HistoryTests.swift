import EventLoop
import Testing

@testable import Admin
@testable import Proxy

/// Counts by outcome.
func totals(_ counts: [Outcome: Int], upstream: Int = 0) -> History.Totals {
    var totals = History.Totals()
    for (outcome, count) in counts { totals.outcomes[outcome.rawValue] = count }
    totals.savings = OriginSavings(
        outcomes: totals.outcomes, avoidedFetches: AvoidedFetch.allCases.map { _ in 0 }, sent: upstream)
    return totals
}

@Suite struct HistoryTests {
    @Test func eachSlotHasWhatCameInIt() {
        var history = History(totals([.hit: 5], upstream: 1))
        history.endSlot(totals([.hit: 9], upstream: 1))
        history.endSlot(totals([.hit: 12], upstream: 3))
        #expect(history.slots == [totals([.hit: 4], upstream: 0), totals([.hit: 3], upstream: 2)])
        #expect(history.sum(.hour, totals([.hit: 15], upstream: 3)) == totals([.hit: 10], upstream: 2))
        #expect(history.json["outcomes"]?["hit"] == .array([.integer(4), .integer(3)]))
        #expect(history.json["upstream"] == .array([.integer(0), .integer(2)]))
        #expect(history.json["saved"] == .array([.integer(4), .integer(1)]))
    }

    /// A history in which each slot has one hit, but for the last.
    private static func history(slots: Int, last: Int = 1) -> (history: History, totals: History.Totals) {
        var history = History()
        for slot in 1..<slots { history.endSlot(totals([.hit: slot])) }
        let all = totals([.hit: slots - 1 + last])
        history.endSlot(all)
        return (history, all)
    }

    @Test func eachWindowHasWhatItIsLong() {
        let (history, all) = Self.history(slots: 1000, last: 50)
        #expect(history.slots.count == 360, "an hour is kept and no more")
        #expect(history.columns(.minutes).count == 30 && history.columns(.minutes).last?.totals.sum == 50)
        #expect(history.columns(.hour).count == 360 && history.columns(.hour).allSatisfy { $0.seconds == 10 })
        #expect(history.sum(.minutes, all).sum == 29 + 50 && history.sum(.hour, all).sum == 359 + 50)
        // Requests since the last slot count too.
        #expect(history.sum(.minutes, totals([.hit: 1049 + 7])).sum == 29 + 50 + 7)
        // 33 slots of five minutes, and one of ten slots that goes on.
        let day = history.columns(.day)
        #expect(day.map(\.seconds) == Array(repeating: 300, count: 33) + [100])
        #expect(day[0].totals.sum == 30 && day[33].totals.sum == 9 + 50 && history.sum(.day, all).sum == 1049)
    }

    /// Five minutes of a node that runs for ten would be two columns.
    @Test func aYoungDayIsFineAndADayIsKept() {
        #expect(Self.history(slots: 6).history.columns(.day) == Self.history(slots: 6).history.columns(.hour))
        #expect(Self.history(slots: 360).history.columns(.day).count == 360)
        #expect(
            Self.history(slots: 361).history.columns(.day).map(\.seconds) == Array(repeating: 300, count: 12) + [10])
        let perDay = History.slotsPerLong * History.longCount
        let full = Self.history(slots: 2 * perDay).history.columns(.day)
        #expect(full.count == 288 && full.reduce(0) { $0 + $1.seconds } == 86_400)
        let going = Self.history(slots: 2 * perDay + 1).history.columns(.day)
        #expect(going.count == 288 && going.last?.seconds == 10)
    }

    private let start = Instant(nanoseconds: 1_000_000_000_000)

    @Test func ratesAreOfTheLastFiveSeconds() {
        var recent = CountMarks<History.Totals>.recent
        for second in 0...20 { recent.note(totals([.hit: second * second]), at: start + .seconds(second)) }
        let window = recent.window(totals([.hit: 400]), at: start + .seconds(20))
        #expect(window.counts == totals([.hit: 400 - 225]) && window.seconds == 5)
        #expect(window.perSecond(window.counts.sum) == 35)
        // While no page watches, there is one sample in ten seconds.
        var rare = CountMarks<History.Totals>.recent
        rare.note(totals([.hit: 0]), at: start)
        rare.note(totals([.hit: 50]), at: start + .seconds(10))
        let longer = rare.window(totals([.hit: 60]), at: start + .seconds(12))
        #expect(longer.counts == totals([.hit: 60]) && longer.seconds == 12)
        #expect(CountMarks.recent.window(totals([.hit: 7]), at: start).perSecond(7) == 0)
    }

    @Test func latenciesOutsideTheHourAreLeftOut() {
        let histogram = LatencyHistogram()
        var hour = CountMarks<LatencySides>.of(.hour)
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
        #expect(hits(after: 60) == 2, "the window is no shorter than the hour")
        note(after: 65)
        #expect(hits(after: 65) == 1)
        // A reload that moves the listener makes a new hour: earlier counts are not of it.
        hour = CountMarks<LatencySides>.of(.hour)
        note(after: 60)
        histogram.record(nanoseconds: 9000)
        #expect(hits(after: 60) == 1)
    }

    @Test func theRatioLeavesOutRefusals() {
        let all = totals([.hit: 90, .miss: 10, .refused: 5])
        #expect(all.sum == 105 && all.ratio == "90.0 %")
    }

    private static func columns(_ totals: [History.Totals], seconds: Int = 10) -> [History.Column] {
        totals.map { History.Column(totals: $0, seconds: seconds) }
    }

    /// Shares are stacked in the order of the outcomes.
    @Test func sharesAreStackedAndHeightsAreRates() {
        let ribbon = Ribbon(Self.columns([totals([.hit: 3, .miss: 1])]))
        #expect(ribbon.path(.hit) == "M0 100v-75h360v75z" && ribbon.path(.miss) == "M0 25v-25h360v25z")
        #expect(ribbon.path(.failed).isEmpty)
        #expect(ribbon.peak == 0.4 && ribbon.seconds == 10)
        // The last column of a day may be short.
        let columns = Self.columns([totals([.hit: 300])], seconds: 300) + Self.columns([totals([.hit: 5])])
        #expect(Ribbon(columns).volume == "M0 100v-100h180v100zM180 100v-50h180v50z")
        let none = Ribbon([])
        #expect(none.volume.isEmpty && none.path(.hit).isEmpty && none.peak == 0 && none.seconds == 0)
        let idle = Ribbon(Self.columns([totals([:])]))
        #expect(idle.volume.isEmpty && idle.path(.hit).isEmpty)
    }

    /// A node that had run for a minute had its columns in the last sixtieth of the chart.
    @Test func aShortHistoryFillsTheChart() {
        let six = Ribbon(Self.columns((1...6).map { totals([.hit: $0]) }))
        #expect(six.path(.hit) == (0..<6).map { "M\($0 * 60) 100v-100h60v100z" }.joined())
        let seven = Ribbon(Self.columns((1...7).map { totals([.hit: $0]) })).path(.hit)
        // Each begins where the one before it ends.
        #expect(seven.hasPrefix("M0 100v-100h51.42v100zM51.42 100v-100h51.43v100zM102.85 100"))
        #expect(seven.hasSuffix("M308.57 100v-100h51.43v100z"))
    }
}
