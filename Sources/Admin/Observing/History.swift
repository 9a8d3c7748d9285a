import Proxy
import Text

/// Counts of each ten seconds of the last hour, and of each five minutes of the last day.
/// Pure: its owner tells it the time and the totals.
///
/// The history is bounded: 360 slots and 288, of 360 bytes each (a `Totals` of 56 bytes and three
/// arrays of 304), which is 233,280 bytes after a day.
struct History {
    /// Totals since the start.
    struct Totals: Cumulative, Equatable {
        /// By `Outcome`.
        var outcomes = [Int](repeating: 0, count: Outcome.allCases.count)
        /// Answers by class, from `1xx` to `5xx`, preflights among them.
        var classes = [Int](repeating: 0, count: AnswerCounts.classes.count)
        var savings = OriginSavings()
        /// Requests that came by HTTP/2, preflights among them.
        var http2 = 0
    }

    /// Counts drawn as one column.
    struct Column: Equatable {
        let totals: Totals
        let seconds: Int
    }

    static let slotSeconds = 10
    static let slotCount = 360
    /// Slots that are one of the day.
    static let slotsPerLong = 30
    static let longCount = 288

    /// Counts of each slot, the oldest first; at most `slotCount`.
    private(set) var slots: [Totals] = []
    /// Counts of slots that are `slotsPerLong` times as long; at most `longCount`.
    private var longSlots: [Totals] = []
    /// Slots since the last of those ended.
    private var slotsInLong = 0
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
        slotsInLong += 1
        guard slotsInLong == Self.slotsPerLong else { return }
        slotsInLong = 0
        if longSlots.count == Self.longCount { longSlots.removeFirst() }
        longSlots.append(Self.sum(slots.suffix(Self.slotsPerLong)))
    }

    /// The columns of the window, the oldest first. While the hour holds all that there is, the day
    /// is that hour: columns of five minutes would show nothing of a node that has run for ten.
    func columns(_ window: HistoryWindow) -> [Column] {
        let long = Self.slotsPerLong
        guard window == .day, longSlots.count * long + slotsInLong > Self.slotCount else {
            return slots.suffix(window.slots).map { Column(totals: $0, seconds: Self.slotSeconds) }
        }
        let columns = longSlots.map { Column(totals: $0, seconds: Self.slotSeconds * long) }
        guard slotsInLong > 0 else { return columns }
        let rest = Self.sum(slots.suffix(slotsInLong))
        let open = Column(totals: rest, seconds: Self.slotSeconds * slotsInLong)
        return Array(columns.suffix(Self.longCount - 1)) + [open]
    }

    /// Counts of the window, up to now.
    func sum(_ window: HistoryWindow, _ totals: Totals) -> Totals {
        columns(window).reduce(totals.since(last)) { $0.adding($1.totals) }
    }

    private static func sum(_ slots: ArraySlice<Totals>) -> Totals { slots.reduce(Totals()) { $0.adding($1) } }

    /// `{"seconds":10,"outcomes":{"hit":[...],...},"classes":{"1xx":[...],...},"upstream":[...],
    /// "saved":[...]}`, one number for each slot of the hour, the oldest first.
    var json: JSON {
        func numbers(_ figure: (Totals) -> Int) -> JSON { .array(slots.map { .integer(figure($0)) }) }
        let outcomes = Outcome.allCases.map { each in (each.name, numbers { $0.outcomes[each.rawValue] }) }
        let classes = AnswerCounts.classes.enumerated().map { index, name in (name, numbers { $0.classes[index] }) }
        return .object(members: [
            "seconds": .integer(Self.slotSeconds), "outcomes": .object(pairs: outcomes),
            "classes": .object(pairs: classes), "upstream": numbers { $0.savings[.sent] },
            "saved": numbers { $0.savings[.saved] },
        ])
    }
}

/// How far back the page looks.
enum HistoryWindow: String, CaseIterable {
    case minutes = "5m"
    case hour = "1h"
    case day = "24h"

    /// Slots of ten seconds.
    var slots: Int { self == .minutes ? 30 : History.slotCount }
}

extension History.Totals {
    init(_ source: StatisticsSource) {
        outcomes = Outcome.allCases.map { source.latency($0).count }
        classes = source.answers.byClass
        savings = source.savings
        http2 = source[.http2Requests]
    }

    func since(_ earlier: History.Totals) -> History.Totals { combined(earlier, -) }

    fileprivate func adding(_ other: History.Totals) -> History.Totals { combined(other, +) }

    private func combined(_ other: History.Totals, _ operation: (Int, Int) -> Int) -> History.Totals {
        History.Totals(
            outcomes: zip(outcomes, other.outcomes).map(operation),
            classes: zip(classes, other.classes).map(operation), savings: savings.combined(other.savings, operation),
            http2: operation(http2, other.http2))
    }
}
