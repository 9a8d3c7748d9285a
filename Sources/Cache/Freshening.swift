import HTTP

// What an answer without content makes of a stored one: a 304 freshens it (RFC 9111 4.3.3, 4.3.4),
// the 200 to a HEAD updates it or makes it stale (4.3.5), both by the rules of 3.2. Pure.
// Must hold: what describes the stored bytes stays as it is; an answer about another state of the
// content changes nothing.

/// What a 304 says of a stored response.
public enum Freshening: Sendable {
    /// Still good: to be stored in place of the old, and served.
    case stored(StoredResponse)
    /// Still good for those who asked, but no longer to be stored; the old is to be removed.
    case unstorable(StoredResponse, Reason)
    /// The 304 is about another state of the content, or would choose among answers by other
    /// request fields: to be asked for again, without conditions.
    case contradicted
}

/// An answer without content that came for a stored response, and under which rules it is read.
public struct Revalidation {
    /// The request as the origin saw it.
    var request: RequestFacts
    /// The rule of the request's class.
    var rule: TTLRule
    /// That of the line `ttl not-found`.
    var notFound: TTLRule
    /// How many times as fast answers age.
    public var speed = 1
    /// The unix second at which the answer came.
    var now: Int64
    /// Seconds between request and answer (RFC 9111 4.2.3).
    var responseDelay: Int
    /// The cache of this program that the answer came through, where it did.
    public var parent = ParentFacts()

    public init(request: RequestFacts, rule: TTLRule, notFound: TTLRule, now: Int64, responseDelay: Int = 0) {
        (self.request, self.rule, self.notFound) = (request, rule, notFound)
        (self.now, self.responseDelay) = (now, responseDelay)
    }
}

extension StoredResponse {
    /// This response after a 304 with these end-to-end `Name: value\r\n` lines, which answers
    /// `preconditionLines`.
    public func freshened(by fields: [UInt8], _ revalidation: Revalidation) -> Freshening {
        guard isConfirmed(by: fields.span), let (facts, fields) = updated(by: fields.span, revalidation), isReadable
        else { return .contradicted }
        switch decide(facts, revalidation) {
        case .store(let lifetime): return .stored(replacing(fields, lifetime, revalidation))
        case .no(let reason):
            let once = Lifetime(freshFor: 0, initialAge: facts.age ?? 0)
            return .unstorable(replacing(fields, once, revalidation), reason)
        }
    }

    /// This response, of status 200, after a 200 to HEAD with these end-to-end lines: updated where
    /// it is about the same state of the content, stale where not, or where it may no longer be
    /// stored as it was.
    public func updated(byHead fields: [UInt8], contentLength: Int?, _ revalidation: Revalidation) -> StoredResponse {
        guard agrees(withHead: fields.span, contentLength: contentLength), isReadable,
            let (facts, fields) = updated(by: fields.span, revalidation),
            case .store(let lifetime) = decide(facts, revalidation)
        else { return withoutFreshness(at: revalidation.now) }
        return replacing(fields, lifetime, revalidation)
    }

    /// RFC 9111 4.3.4: a strong validator has to be the same; a weak one has to correspond; without
    /// any it can only be about what was asked for.
    private func isConfirmed(by fields: Span<UInt8>) -> Bool {
        let new = Validators(fields)
        guard new.tagValue.isEmpty else {
            guard let tag = validators.originTag, let newTag = new.entityTag, newTag.isWeak || !tag.isWeak else {
                return false
            }
            let head = self.head
            return fields.equals(newTag.opaque.range, head.span, tag.opaque.range)
        }
        guard let date = new.lastModified, let lastModified = validators.lastModified else { return true }
        return date == lastModified
    }

    /// RFC 9111 4.3.5: every validator that came has to be the stored one's.
    private func agrees(withHead fields: Span<UInt8>, contentLength: Int?) -> Bool {
        let new = Validators(fields)
        let head = self.head
        if !new.tagValue.isEmpty {
            guard validators.originTag != nil,
                fields.equals(new.tagValue.range, head.span, validators.tagValue.range)
            else { return false }
        }
        if let lastModified = new.lastModified, lastModified != validators.lastModified { return false }
        return contentLength == nil || contentLength == bodyCount
    }

    /// The stored fields with those of `new` in their place, and the facts they state; nil where
    /// `Vary` names others now.
    private func updated(
        by new: Span<UInt8>, _ revalidation: Revalidation
    ) -> (facts: ResponseFacts, fields: [UInt8])? {
        let old = Array(self.fields)
        let fields = StoredFields.merged(old.span, updatedBy: new)
        var facts = ResponseFacts(status: status, fields: fields.span)
        facts.age = ResponseFacts(status: status, fields: new).age
        facts.responseDelay = revalidation.responseDelay
        // `fields` name this proxy itself by now.
        facts.parent = revalidation.parent
        guard facts.vary == ResponseFacts(status: status, fields: old.span).vary else { return nil }
        return (facts, fields)
    }

    /// As if the stored response had come anew.
    private func decide(_ facts: ResponseFacts, _ revalidation: Revalidation) -> StoreDecision {
        var request = revalidation.request
        request.isGet = true
        return StoreDecision.decide(
            request, facts, rule: revalidation.rule, notFound: revalidation.notFound, speed: revalidation.speed,
            now: revalidation.now)
    }

    /// Whether its content is what was stored: who cannot be read is not as good as new.
    private var isReadable: Bool {
        _ = body
        return !isDamaged
    }

    private func replacing(
        _ fields: [UInt8], _ lifetime: Lifetime, _ revalidation: Revalidation
    ) -> StoredResponse {
        StoredResponse(
            key: key, status: status, fields: fields, keeping: FieldRetention(under: revalidation.rule), body: body,
            receivedAt: revalidation.now, lifetime: lifetime, classTag: classTag, storefront: storefront,
            selecting: selecting, resources: resources, outline: outline, composition: composition,
            gzip: gzip?.body)
    }
}
