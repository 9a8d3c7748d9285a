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

    /// Keeps `text` as the fact of that name, in place of what it said.
    func keep(_ text: String, as name: String) {
        records.add(StoreMark(table: .fact, key: Array(name.utf8), value: .text(text)))
    }

    /// Tells what the fact of that name says, on a queue of the file's own: nil where there is
    /// none, or the file cannot be read. What is being written meanwhile may count or not.
    func kept(_ name: String, _ completion: @escaping @Sendable (String?) -> Void) {
        records.visitMarks(.fact) { marks in
            let mark = marks.first { $0.key.elementsEqual(name.utf8) }
            if case .text(let text) = mark?.value { completion(text) } else { completion(nil) }
        }
    }
}
