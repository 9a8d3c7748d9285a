/// Forms that no client asked for and that were asked for once, to see whether the origin answers
/// in them. Pure.
///
/// Must hold: a form is tried once a week at most, however the try ended, and `most` forms are. A
/// try takes the place of a client's request; one that is refused costs that request.
struct FormTries: Sendable {
    /// Unix seconds before which a form is not tried again.
    private var tried: [Form: Int64] = [:]
    /// Unix seconds before which a refused form is not asked for, whatever else speaks for it.
    private var refused: [Form: Int64] = [:]

    static let most = 256
    private static let rest = LearntForms.longestRest

    func mayBegin(_ form: Form, at now: Int64) -> Bool {
        if let until = tried[form] { return now >= until }
        return tried.count < Self.most || tried.values.contains { now >= $0 }
    }

    func isRefused(_ form: Form, at now: Int64) -> Bool { refused[form].map { now < $0 } ?? false }

    mutating func begin(_ form: Form, at now: Int64) { Self.note(form, in: &tried, at: now) }

    mutating func noteRefusal(_ form: Form, at now: Int64) { Self.note(form, in: &refused, at: now) }

    /// Caps the rests after a clock that was ahead.
    mutating func limit(at now: Int64) {
        tried = tried.mapValues { min($0, now + Self.rest) }
        refused = refused.mapValues { min($0, now + Self.rest) }
    }

    private static func note(_ form: Form, in rests: inout [Form: Int64], at now: Int64) {
        if rests.count >= most { rests = rests.filter { now < $0.value } }
        if rests.count < most || rests[form] != nil { rests[form] = now + rest }
    }
}
