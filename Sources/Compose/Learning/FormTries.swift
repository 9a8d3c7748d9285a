/// Forms that no client asked for and that were asked for once, to see whether the origin answers
/// in them. Pure.
///
/// Must hold: a form is tried once a week at most, however the try ended, and `most` forms are. A
/// try takes the place of a client's request; one that is refused costs that request.
struct FormTries: Sendable {
    /// Unix seconds before which a form is not tried again.
    private var tried: [Form: Int64] = [:]

    static let most = 256
    static let rest: Int64 = 7 * 86_400

    func mayBegin(_ form: Form, at now: Int64) -> Bool {
        if let until = tried[form] { return now >= until }
        return tried.count < Self.most || tried.values.contains { now >= $0 }
    }

    mutating func begin(_ form: Form, at now: Int64) {
        if tried.count >= Self.most { tried = tried.filter { now < $0.value } }
        if tried.count < Self.most || tried[form] != nil { tried[form] = now + Self.rest }
    }

    /// After a clock that was ahead.
    mutating func limit(at now: Int64) { tried = tried.mapValues { min($0, now + Self.rest) } }
}
