// The forms of request in which no answers are built for a while, because one that was built was
// not what the origin said. What shows in which form the origin answers is in the answers
// themselves; this is not.
// Must hold: no loop waits for the disk. A rest that could not be written is lost with the process
// and no sooner: the code that composes knows of it.

/// A form that rests.
public struct RestingForm: Sendable, Equatable {
    /// The canonical target of a request of the form.
    public let target: [UInt8]
    /// Unix seconds.
    public let until: Int64

    public init(target: [UInt8], until: Int64) {
        self.target = target
        self.until = until
    }
}

extension SQLiteStore {
    /// Writes down that a form rests, behind the caller's back. `now` in unix seconds: what rests
    /// no longer goes.
    public func store(_ form: RestingForm, at now: Int64) {
        queue.async { @Sendable [self] in
            writer.withLock {
                $0.write(for: self) { (connection) throws(SQLiteError) in try connection.write(form, at: now) }
            }
        }
    }

    /// Tells which forms rest, behind the caller's back, before what is visited from now on; none
    /// where the file cannot be read.
    func visitRestingForms(at now: Int64, _ body: @escaping @Sendable (RestingForm) -> Void) {
        visits.async { @Sendable [self] in
            for form in (try? restingForms(at: now)) ?? [] { body(form) }
        }
    }

    private func restingForms(at now: Int64) throws(SQLiteError) -> [RestingForm] {
        guard generation.load(ordering: .acquiring) > 0 else { return [] }
        var forms: [RestingForm] = []
        let select = try Statement(try openForReading(), "SELECT target, until FROM rest WHERE until > ?1")
        try select.forEachRow([.integer(now)]) { row in
            forms.append(RestingForm(target: Array(row.text(0).utf8), until: row.integer(1)))
            return true
        }
        return forms
    }
}

extension StoreConnection {
    func write(_ form: RestingForm, at now: Int64) throws(SQLiteError) {
        let remove = try Statement(database, "DELETE FROM rest WHERE until <= ?1")
        let insert = try Statement(database, "INSERT OR REPLACE INTO rest (target, until) VALUES (?1, ?2)")
        try change([form]) { (form) throws(SQLiteError) in
            try remove.run(.integer(now))
            try insert.run(.text(form.target[...]), .integer(form.until))
        }
    }
}
