import EventLoop

/// Log lines about events that may come in floods: for each kind one a minute at most, the first
/// event at once, those of the minute after it as a number. Pure.
public struct RareLines<Kind: CaseIterable & Hashable & Sendable>: Sendable {
    private var lines: [Kind: RareLine] = [:]

    public init() {}

    /// Takes an event.
    /// - Parameter words: made only for a line.
    /// - Returns: nil where there was a line about this kind less than a minute ago.
    public mutating func line(about kind: Kind, at now: Instant, _ words: () -> String) -> String? {
        guard let unsaid = lines[kind, default: RareLine()].take(at: now) else { return nil }
        return words() + RareLine.others(unsaid)
    }

    /// Lines about events since the last one of their kind, where that is a minute old; in the
    /// order of the cases.
    /// - Parameter words: makes the line about a number of events of one kind.
    public mutating func rest(at now: Instant, _ words: (_ kind: Kind, _ count: Int) -> String) -> [String] {
        Kind.allCases.compactMap { kind in lines[kind]?.takeRest(at: now).map { words(kind, $0) } }
    }
}
