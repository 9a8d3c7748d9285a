/// The result of a transaction, in rows.
struct WriteOutcome {
    var written = 0
    /// Records too large for the bound.
    var dropped = 0
    var evicted = 0
    /// The row of `totals` at the end of the transaction.
    var totals = (entries: 0, bytes: 0)
    /// The seconds between the use of the least recently used entry and the latest use.
    var useSpan = 0
}
