// Results as values: the table and the page are made from rows and from nothing else.

/// Bound of a figure, or of a ratio of two.
struct Target: Equatable {
    let isAtLeast: Bool
    let bound: Double

    static func atLeast(_ bound: Double) -> Target { Target(isAtLeast: true, bound: bound) }
    static func atMost(_ bound: Double) -> Target { Target(isAtLeast: false, bound: bound) }

    func isMet(by measured: Double) -> Bool { isAtLeast ? measured >= bound : measured <= bound }
}

/// One figure of ours beside others of the same kind.
struct ResultRow: Equatable {
    /// The measurement that it belongs to, as it is named on the command line.
    let measurement: String
    let name: String
    let unit: String
    /// nil where it could not be measured; a note says why.
    var ours: Double?
    /// Bound of `ours` itself.
    var target: Target?
    var others: [Other] = []
    /// Conditions and checks of the run, and missing programs.
    var notes: [String] = []
}

/// The figure of another program, and ours divided by it.
struct Other: Equatable {
    let name: String
    /// nil where it is not installed.
    var figure: Double?
    /// The median of the rounds' ratios, which is not quite the ratio of the medians.
    var ratio: Double?
    /// Bound of the ratio.
    var target: Target?
}

/// One line under a row: a comparison, and whether it meets its target.
struct Goal: Equatable {
    let row: ResultRow
    /// nil for our figure alone.
    let other: Other?
    let measured: Double?
    let target: Target?

    /// nil where nothing is wanted, or nothing was measured.
    var isMet: Bool? {
        guard let target, let measured else { return nil }
        return target.isMet(by: measured)
    }
}

extension ResultRow {
    /// The comparisons in the order in which they are shown.
    var goals: [Goal] {
        let alone = Goal(row: self, other: nil, measured: ours, target: target)
        let compared = others.map { Goal(row: self, other: $0, measured: $0.ratio, target: $0.target) }
        return target != nil || others.isEmpty ? [alone] + compared : compared
    }
}
