import Store

// Marks: the file keeps them besides answers.

/// A form in which no answers are built for a while, because one that was built was not what the
/// origin said.
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

extension FileTier {
    /// Writes down that a form rests. Lost with the process where that cannot be written: the code
    /// that composes knows of it.
    public func store(_ form: RestingForm) {
        records.add(StoreMark(table: .rest, key: form.target, value: .time(form.until)))
    }

    /// Tells which forms rest before what is visited from now on; none where the file cannot be
    /// read. `now` in unix seconds.
    public func visitRestingForms(at now: Int64, _ body: @escaping @Sendable (RestingForm) -> Void) {
        records.visitMarks(.rest) { marks in
            for mark in marks {
                if case .time(let until) = mark.value, until > now { body(RestingForm(target: mark.key, until: until)) }
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
