import Testing

@testable import Admin
@testable import Proxy

@Suite struct RibbonTests {
    private static func columns(_ totals: [History.Totals], seconds: Int = 10) -> [History.Column] {
        totals.map { History.Column(totals: $0, seconds: seconds) }
    }

    /// Shares are stacked in the order of the outcomes.
    @Test func sharesAreStackedFromTheBottom() {
        let ribbon = Ribbon(Self.columns([totals([.hit: 3, .miss: 1])]))
        #expect(ribbon.path(.hit) == "M0 100v-75h360v75z" && ribbon.path(.miss) == "M0 25v-25h360v25z")
        #expect(ribbon.path(.failed).isEmpty)
        #expect(ribbon.peak == 0.4 && ribbon.seconds == 10)
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

    /// The last column of a day may be short.
    @Test func heightsAreRatesNotCounts() {
        let columns = Self.columns([totals([.hit: 300])], seconds: 300) + Self.columns([totals([.hit: 5])])
        #expect(Ribbon(columns).volume == "M0 100v-100h180v100zM180 100v-50h180v50z")
    }

    @Test func nothingIsDrawnOfNothing() {
        let none = Ribbon([])
        #expect(none.volume.isEmpty && none.path(.hit).isEmpty && none.peak == 0 && none.seconds == 0)
        let idle = Ribbon(Self.columns([totals([:])]))
        #expect(idle.volume.isEmpty && idle.path(.hit).isEmpty)
    }
}
