import Testing

@testable import Admin
@testable import Proxy

@Suite struct PlotsTests {
    /// The newest slot stands at the right edge, and shares are stacked in the order of the
    /// outcomes.
    @Test func sharesAreStackedFromTheBottom() {
        var history = History()
        history.endSlot(totals([.hit: 3, .miss: 1]))
        let ribbon = Ribbon(history)
        #expect(ribbon.path(.hit) == "M359 100.0v-75.0h1v75.0z")
        #expect(ribbon.path(.miss) == "M359 25.0v-25.0h1v25.0z")
        #expect(ribbon.path(.failed).isEmpty)
        #expect(ribbon.peak == 4)
    }

    @Test func aFullHourBeginsAtTheLeftEdge() {
        var history = History()
        for slot in 1...400 { history.endSlot(totals([.hit: slot])) }
        #expect(Ribbon(history).path(.hit).hasPrefix("M0 100.0"))
        #expect(Ribbon(history).volume.hasSuffix("h1v100z"))
    }

    @Test func nothingIsDrawnOfNothing() {
        var history = History()
        history.endSlot(totals([:]))
        #expect(Ribbon(history).volume.isEmpty && Ribbon(history).path(.hit).isEmpty)
        #expect(LatencyPlot.path(LatencyCounts()).isEmpty)
    }

    @Test func bucketsAreSteps() {
        let histogram = LatencyHistogram()
        for _ in 0..<4 { histogram.record(nanoseconds: 1024) }
        histogram.record(nanoseconds: 1300)
        // Bucket 1 is full, and bucket 2 has a quarter of it.
        #expect(LatencyPlot.path(histogram.snapshot) == "M1 100V4H2V76H3V100z")
    }
}
