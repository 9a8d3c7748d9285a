import Testing

@testable import Admin
@testable import Proxy

@Suite struct HistoryTests {
    private func totals(hits: Int, upstream: Int) -> History.Totals {
        var totals = History.Totals()
        totals.outcomes[Outcome.hit.rawValue] = hits
        totals.upstream = upstream
        return totals
    }

    @Test func eachSlotHasWhatCameInIt() {
        var history = History(totals(hits: 5, upstream: 1))
        history.endSlot(totals(hits: 9, upstream: 1))
        history.endSlot(totals(hits: 9, upstream: 3))
        #expect(history.slots == [totals(hits: 4, upstream: 0), totals(hits: 0, upstream: 2)])
        #expect(history.json["outcomes"]?["hit"] == .array([.integer(4), .integer(0)]))
        #expect(history.json["upstream"] == .array([.integer(0), .integer(2)]))
    }

    @Test func anHourIsKeptAndNoMore() {
        var history = History()
        for slot in 1...History.slotCount + 5 { history.endSlot(totals(hits: slot * slot, upstream: 0)) }
        #expect(history.slots.count == 360)
        #expect(history.slots.first == totals(hits: 36 - 25, upstream: 0))
    }
}
