import Proxy
import Text

/// What was counted in each ten seconds of the last hour. Pure: its owner tells it the time and the
/// totals.
struct History {
    /// Totals since the start.
    struct Totals: Equatable {
        /// By `Outcome`.
        var outcomes = [Int](repeating: 0, count: Outcome.allCases.count)
        var upstream = 0
        var saved = 0
    }

    static let slotSeconds = 10
    static let slotCount = 360

    /// What came in each slot, the oldest first; at most `slotCount`.
    private(set) var slots: [Totals] = []
    /// The totals at the end of the last slot.
    private var last: Totals

    init(_ totals: Totals = Totals()) {
        last = totals
    }

    /// Ends a slot. Counters never go back.
    mutating func endSlot(_ totals: Totals) {
        if slots.count == Self.slotCount { slots.removeFirst() }
        slots.append(totals.since(last))
        last = totals
    }

    /// What came in all of the slots and since the last of them.
    func hour(_ totals: Totals) -> Totals {
        slots.reduce(totals.since(last)) { $0.adding($1) }
    }

    /// `{"seconds":10,"outcomes":{"hit":[...],...},"upstream":[...],"saved":[...]}`, one number for
    /// each slot, the oldest first.
    var json: JSON {
        func numbers(_ figure: (Totals) -> Int) -> JSON { .array(slots.map { .integer(figure($0)) }) }
        var outcomes = JSONObject()
        for outcome in Outcome.allCases { outcomes.append(outcome.name, numbers { $0.outcomes[outcome.rawValue] }) }
        return .object(members: [
            "seconds": .integer(Self.slotSeconds), "outcomes": .object(outcomes), "upstream": numbers(\.upstream),
            "saved": numbers(\.saved),
        ])
    }
}

extension History.Totals {
    init(_ source: StatisticsSource) {
        outcomes = Outcome.allCases.map { source.latency($0).count }
        upstream = source[.upstreamRequests]
        saved = source[.upstreamSaved]
    }

    func since(_ earlier: History.Totals) -> History.Totals { combined(earlier, -) }

    fileprivate func adding(_ other: History.Totals) -> History.Totals { combined(other, +) }

    private func combined(_ other: History.Totals, _ operation: (Int, Int) -> Int) -> History.Totals {
        History.Totals(
            outcomes: zip(outcomes, other.outcomes).map(operation),
            upstream: operation(upstream, other.upstream), saved: operation(saved, other.saved))
    }
}
