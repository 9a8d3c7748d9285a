import Store

// Marks: the file keeps them besides answers.

extension FileTier {
    /// Writes down that a form rests until then, in unix seconds: no answers are built in it for a
    /// while, because one that was built was not what the origin said. Lost with the process where
    /// that cannot be written: the code that composes knows of it.
    /// - Parameter target: the canonical one of a request of the form.
    public func storeRest(of target: [UInt8], until: Int64) {
        records.add(StoreMark(table: .rest, key: target, value: .time(until)))
    }

    /// Tells which forms rest, and until when, before what is visited from now on; none where the
    /// file cannot be read. `now` in unix seconds.
    public func visitRests(at now: Int64, _ body: @escaping @Sendable (_ target: [UInt8], _ until: Int64) -> Void) {
        records.visitMarks(.rest) { marks in
            for mark in marks {
                if case .time(let until) = mark.value, until > now { body(mark.key, until) }
            }
        }
    }
}
