import Testing

@testable import Admin
@testable import Proxy

/// Counts by outcome.
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
    @Test func aYoungDayIsAsFineAsItsHour() {
        #expect(Self.history(slots: 6).history.columns(.day) == Self.history(slots: 6).history.columns(.hour))
        #expect(Self.history(slots: 360).history.columns(.day).count == 360)
        #expect(
            Self.history(slots: 361).history.columns(.day).map(\.seconds) == Array(repeating: 300, count: 12) + [10])
    }

    @Test func aDayIsKeptAndNoMore() {
        let perDay = History.slotsPerLong * History.longCount
        let full = Self.history(slots: 2 * perDay).history.columns(.day)
        #expect(full.count == 288 && full.reduce(0) { $0 + $1.seconds } == 86_400)
        let going = Self.history(slots: 2 * perDay + 1).history.columns(.day)
        #expect(going.count == 288 && going.last?.seconds == 10)
    }
}
