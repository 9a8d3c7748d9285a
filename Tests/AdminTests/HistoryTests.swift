import Testing

@testable import Admin
@testable import Proxy

/// What was counted, by outcome.
func totals(_ counts: [Outcome: Int], upstream: Int = 0) -> History.Totals {
    var totals = History.Totals()
    for (outcome, count) in counts { totals.outcomes[outcome.rawValue] = count }
    totals.upstream = upstream
    return totals
}

@Suite struct HistoryTests {
    @Test func eachSlotHasWhatCameInIt() {
        var history = History(totals([.hit: 5], upstream: 1))
        history.endSlot(totals([.hit: 9], upstream: 1))
        history.endSlot(totals([.hit: 9], upstream: 3))
        #expect(history.slots == [totals([.hit: 4], upstream: 0), totals([.hit: 0], upstream: 2)])
        #expect(history.json["outcomes"]?["hit"] == .array([.integer(4), .integer(0)]))
        #expect(history.json["upstream"] == .array([.integer(0), .integer(2)]))
    }

    @Test func anHourIsKeptAndNoMore() {
        var history = History()
        for slot in 1...History.slotCount + 5 { history.endSlot(totals([.hit: slot * slot], upstream: 0)) }
        #expect(history.slots.count == 360)
        #expect(history.slots.first == totals([.hit: 36 - 25], upstream: 0))
    }
}
