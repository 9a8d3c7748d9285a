// What the process keeps beside the answers that must agree with them: up to where the purges of a
// log that nodes share are applied.
// Must hold: a fact is written behind all that was asked of the file before, in a transaction of
// its own, so that no crash leaves it there without what it speaks of; no loop waits for the disk.
// One that could not be written leaves the older one.

extension SQLiteStore {
    /// Keeps `text` as the fact of that name, in place of what it said, behind the caller's back.
    public func keep(_ text: String, as name: String) {
        queue.async { @Sendable [self] in
            writer.withLock {
                $0.write(for: self) { (connection) throws(SQLiteError) in try connection.keep(text, as: name) }
            }
        }
    }

    /// Tells what the fact of that name says, on a queue of the file's own: nil where there is
    /// none, or the file cannot be read. What is being written meanwhile may count or not.
    func kept(_ name: String, _ completion: @escaping @Sendable (String?) -> Void) {
        visits.async { @Sendable [self] in completion(try? fact(name)) }
    }

    private func fact(_ name: String) throws(SQLiteError) -> String? {
        guard generation.load(ordering: .acquiring) > 0 else { return nil }
        let select = try Statement(try openForReading(), "SELECT value FROM fact WHERE name = ?1")
        return try select.firstRow(.text(Array(name.utf8)[...])) { $0.text(0) }
    }
}

extension StoreConnection {
    func keep(_ text: String, as name: String) throws(SQLiteError) {
        let insert = try Statement(database, "INSERT OR REPLACE INTO fact (name, value) VALUES (?1, ?2)")
        try change([name]) { (name) throws(SQLiteError) in
            try insert.run(.text(Array(name.utf8)[...]), .text(Array(text.utf8)[...]))
        }
    }
}

extension ResponseCache {
    /// Keeps `text` as the fact of that name, behind all purges that have ended. Without a file it
    /// is forgotten: it speaks of what the file holds.
    public func keep(_ text: String, as name: String) { store?.keep(text, as: name) }

    /// Tells what the fact of that name says, on any thread; nil where there is none.
    public func kept(_ name: String, _ completion: @escaping @Sendable (String?) -> Void) {
        guard let store else { return completion(nil) }
        store.kept(name, completion)
    }
}
