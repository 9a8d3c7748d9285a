// The origins of rows. Must hold: a row's origin is in table `origin`, or a purge of its target
// would not find it; so it is counted there in the transaction that writes the row.

extension WriterConnection {
    /// Counts new rows, by their origins relative to home; within a transaction.
    func count(_ added: [OriginTag: Int]) throws(SQLiteError) {
        for (origin, count) in added {
            let name = nameOfOrigin(origin.relative(to: home))
            try addToOrigin.run(.integer(origin.number), .text(Array(name.utf8)[...]), .integer(Int64(count)))
        }
    }
}
