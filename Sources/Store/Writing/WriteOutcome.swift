/// Entries and bytes as the `totals` row has them.
struct StoreTotals: Equatable {
    var entries = 0
    var bytes = 0
}

/// The result of a transaction, in rows.
struct WriteOutcome {
    var written = 0
    /// Records too large for the bound.
    var dropped = 0
    var evicted = 0
    /// As of the end of the transaction.
    var totals = StoreTotals()
    var useSpan = 0
}
