import AppleMusic

// How long the lists at one place are before they go on at `next`. Pure.

/// How the origin sizes the lists at one place: it cuts after a number of positions and drops
/// unavailable items, or goes on until it has that many items (APPLE-MUSIC-API 7.9, 7.10: 25 items
/// with `offset=28`). The rule is learnt from the number that stays the same.
struct ListSize: Sendable, Equatable {
    /// Observations of one quantity.
    private enum Seen: Sendable, Equatable {
        case nothing
        case always(Int)
        case various

        mutating func note(_ value: Int) {
            switch self {
            case .nothing: self = .always(value)
            case .always(value), .various: break
            case .always: self = .various
            }
        }
    }

    /// The items of lists that go on.
    private var counts = Seen.nothing
    /// The offsets at which they go on.
    private var spans = Seen.nothing
    /// The most items of a list that ended.
    private var longestWhole = -1

    /// A list that goes on at `next`; false where that fits no rule of cutting.
    mutating func note(_ count: Int, next: Int?) -> Bool {
        guard let next else { return false }
        counts.note(count)
        spans.note(next)
        return counts != .various || spans != .various
    }

    /// A list that ended.
    mutating func noteWhole(_ count: Int) -> Bool {
        longestWhole = max(longestWhole, count)
        return true
    }

    /// Whether the origin would end a list of `count` items after them, and go on at `next`.
    func holds(_ count: Int, next: Int?) -> Bool {
        guard let next else { return false }
        return switch (counts, spans) {
        case (.always(count), .various), (.various, .always(next)), (.always(count), .always(next)): true
        default: false
        }
    }

    /// Whether the origin would show a list of `count` items whole.
    func holdsWhole(_ count: Int) -> Bool {
        if count <= longestWhole { return true }
        return switch (counts, spans) {
        case (.always(let most), _): count < most
        case (_, .always(let most)): count < most
        default: false
        }
    }

    /// Whether no list was seen to go on, so that it is not known where it would.
    var isUnknown: Bool { counts == .nothing }

    /// Whether lists that go on do so at the same place in both, as far as was seen.
    func isCompatible(with other: ListSize) -> Bool {
        func agree(_ one: Seen, _ two: Seen) -> Bool {
            if case .always(let a) = one, case .always(let b) = two { a == b } else { true }
        }
        return isUnknown || other.isUnknown || agree(counts, other.counts) && agree(spans, other.spans)
    }

    /// Everything that either has shown; nil where that fits no rule of cutting.
    func merged(with other: ListSize) -> ListSize? {
        func both(_ one: Seen, _ two: Seen) -> Seen {
            switch (one, two) {
            case (.nothing, let seen), (let seen, .nothing): seen
            default: one == two ? one : .various
            }
        }
        var size = ListSize()
        (size.counts, size.spans) = (both(counts, other.counts), both(spans, other.spans))
        size.longestWhole = max(longestWhole, other.longestWhole)
        return size.counts == .various && size.spans == .various ? nil : size
    }

    /// Everything that both have shown.
    func agreed(with other: ListSize) -> ListSize {
        var size = ListSize()
        (size.counts, size.spans) = (
            counts == other.counts ? counts : .nothing, spans == other.spans ? spans : .nothing
        )
        size.longestWhole = min(longestWhole, other.longestWhole)
        return size
    }

    /// The limit by which the origin cuts: of lists that go on, the one quantity that stays the
    /// same; nil where that is not known.
    var limit: Int? {
        switch (counts, spans) {
        case (.always(let count), .always(let span)): count == span ? span : nil
        case (.various, .always(let limit)), (.always(let limit), .various): limit
        default: nil
        }
    }

    /// How lists with `next` were cut, if one quantity is constant.
    var cut: ListCut {
        switch (counts, spans) {
        case (.various, .always): .first
        case (.always, .various): .filling
        default: .unknown
        }
    }
}
