import HTTP

// Applies an answer without content to a stored one: a 304 freshens it (RFC 9111 4.3.3, 4.3.4), the
// 200 to a HEAD updates it or makes it stale (4.3.5), both by the rules of 3.2. Pure.
// Must hold: fields that describe the stored bytes stay as they are; an answer about another state
// of the content changes nothing.

/// The effect of a 304 on a stored answer.
public enum Freshening<Answer> {
    /// Still good: to be stored in place of the old, and served.
    case stored(Answer)
    /// Still good for the clients that asked, but no longer to be stored; the old is to be removed.
    case unstorable(Answer, Reason)
    /// The 304 is about another state of the content, or would choose among answers by other
    /// request fields: to be asked for again, without conditions.
    case contradicted

    /// The effect on what `renew` makes of the answer; contradicted where that is nil.
    public func map<Other>(_ renew: (Answer) -> Other?) -> Freshening<Other> {
        switch self {
        case .stored(let answer): renew(answer).map { .stored($0) } ?? .contradicted
        case .unstorable(let answer, let reason): renew(answer).map { .unstorable($0, reason) } ?? .contradicted
        case .contradicted: .contradicted
        }
    }
}

/// The new facts of a stored answer; its content stays.
public struct Renewal {
    public let fields: [UInt8]
    public let lifetime: Lifetime
}

/// An answer without content that came for a stored answer, and under which rules it is read.
public struct Revalidation {
    /// The request as the origin saw it.
    var request: RequestFacts
    /// The rule of the request's class.
    public var rule: TTLRule
    /// The rules of the lines `ttl not-found` and `ttl bad-request`.
    var notFound: TTLRule
    var badRequest: TTLRule
    /// How many times as fast answers age.
    var speed: Int
    /// For how many seconds the answer may be served at most; nil: no bound beside the rule.
    var within: Int?
    /// The unix second at which the answer came.
    public var now: Int64
    /// Seconds between request and answer (RFC 9111 4.2.3).
    var responseDelay: Int
    /// The cache of this program that the answer came through, where it did.
    var parent: ParentFacts

    public init(
        request: RequestFacts, rule: TTLRule, notFound: TTLRule, badRequest: TTLRule, speed: Int = 1,
        within: Int? = nil, now: Int64,
        responseDelay: Int = 0, parent: ParentFacts = ParentFacts()
    ) {
        (self.request, self.rule, self.notFound, self.badRequest) = (request, rule, notFound, badRequest)
        (self.speed, self.within, self.now) = (speed, within, now)
        (self.responseDelay, self.parent) = (responseDelay, parent)
    }

    /// `stored` after a 304 with these end-to-end `Name: value\r\n` lines, which answers
    /// `preconditionLines`.
    public func freshening(of stored: some ReusableAnswer, by fields: Span<UInt8>) -> Freshening<Renewal> {
        guard isConfirmed(stored, by: fields), let (facts, fields) = updated(stored, by: fields) else {
            return .contradicted
        }
        switch decide(facts) {
        case .store(let lifetime): return .stored(Renewal(fields: fields, lifetime: lifetime))
        case .no(let reason):
            let once = Lifetime(freshFor: 0, initialAge: facts.age ?? 0)
            return .unstorable(Renewal(fields: fields, lifetime: once), reason)
        }
    }

    /// `stored`, of status 200, after a 200 to HEAD with these end-to-end lines; nil where it is
    /// about another state of the content, or where it may no longer be stored as it was.
    public func renewal(
        of stored: some ReusableAnswer, byHead fields: Span<UInt8>, contentLength: Int?
    ) -> Renewal? {
        guard agrees(stored, withHead: fields, contentLength), let (facts, fields) = updated(stored, by: fields),
            case .store(let lifetime) = decide(facts)
        else { return nil }
        return Renewal(fields: fields, lifetime: lifetime)
    }

    /// RFC 9111 4.3.4: a strong validator has to be the same; a weak one has to correspond; without
    /// any it can only be about the stored answer.
    private func isConfirmed(_ stored: some ReusableAnswer, by fields: Span<UInt8>) -> Bool {
        let (new, old) = (Validators(fields), stored.validators)
        guard new.tagValue.isEmpty else {
            guard let tag = old.originTag, let newTag = new.entityTag, newTag.isWeak || !tag.isWeak else {
                return false
            }
            let head = stored.head
            return fields.equals(newTag.opaque.range, head.span, tag.opaque.range)
        }
        guard let date = new.lastModified, let lastModified = old.lastModified else { return true }
        return date == lastModified
    }

    /// RFC 9111 4.3.5: every validator that came has to be the stored one's.
    private func agrees(_ stored: some ReusableAnswer, withHead fields: Span<UInt8>, _ contentLength: Int?) -> Bool {
        let (new, old) = (Validators(fields), stored.validators)
        let head = stored.head
        if !new.tagValue.isEmpty {
            guard old.originTag != nil, fields.equals(new.tagValue.range, head.span, old.tagValue.range) else {
                return false
            }
        }
        if let lastModified = new.lastModified, lastModified != old.lastModified { return false }
        return contentLength == nil || contentLength == stored.bodyCount
    }

    /// The stored fields with those of `new` in their place, and the facts they state; nil where
    /// other request fields choose the answer now.
    private func updated(
        _ stored: some ReusableAnswer, by new: Span<UInt8>
    ) -> (facts: ResponseFacts, fields: [UInt8])? {
        let old = Array(stored.fields)
        let fields = KeptFields.merged(old.span, updatedBy: new)
        var facts = ResponseFacts(status: stored.status, fields: fields.span)
        facts.age = ResponseFacts(status: stored.status, fields: new).age
        facts.responseDelay = responseDelay
        // `fields` name this proxy itself by now.
        facts.parent = parent
        let before = ResponseFacts(status: stored.status, fields: old.span).vary
        guard facts.vary.selecting(under: rule) == before.selecting(under: rule) else { return nil }
        return (facts, fields)
    }

    /// Decides whether to store the answer as if it had come anew.
    private func decide(_ facts: ResponseFacts) -> StoreDecision {
        var request = request
        request.isGet = true
        return StoreDecision.decide(
            request, facts, rule: rule, notFound: notFound, badRequest: badRequest, speed: speed, within: within,
            now: now)
    }
}
