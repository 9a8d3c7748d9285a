import HTTP

// In which form a client gets an answer that the cache has: RFC 9111 4.3.2 for conditions, RFC 9110
// 13.1.5 and 14.2 for ranges. A pure function of the request's fields and the answer's.
// Must hold: a range never reaches outside the content; a request without any of the four fields
// costs one test of a word.

/// The form of one answer to one request.
public enum AnswerForm: Sendable, Equatable {
    /// The whole content, with its own status.
    case whole
    /// 304: the client has it.
    case notModified
    /// 206: these bytes of the content, never none.
    case partial(Range<Int>)
    /// 416: the content has no such bytes.
    case unsatisfiable

    /// The form of `stored` for a request with these `fields`, whose ranges count in `bytes`. Also
    /// for an answer that has just come to a request that went on without the client's conditions.
    @inlinable @inline(__always)
    public static func of(
        _ stored: some ReusableAnswer, for method: Method, _ fields: borrowing Fields, _ bytes: Span<UInt8>
    ) -> AnswerForm {
        guard fields.areConditional else { return .whole }
        return ClientConditions(stored).form(method, fields, bytes)
    }
}

/// A stored response as conditions and ranges see it. If-Match and If-Unmodified-Since are not a
/// cache's to evaluate.
@usableFromInline
struct ClientConditions<Answer: ReusableAnswer> {
    private let stored: Answer
    private var validators: Validators { stored.validators }

    @usableFromInline
    init(_ stored: Answer) {
        self.stored = stored
    }

    @usableFromInline
    func form(_ method: Method, _ fields: borrowing Fields, _ bytes: Span<UInt8>) -> AnswerForm {
        guard stored.status == 200, method == .get || method == .head else { return .whole }
        // RFC 9111 4.3.2: without Last-Modified the answer's own date counts.
        let since = validators.lastModified ?? validators.date ?? stored.receivedAt
        if validators.areKnown(to: fields, bytes, in: stored.head.span, lastModified: since) { return .notModified }
        guard method == .get, fields.count(.range) == 1, let range = fields.first(.range),
            allowsRange(fields, bytes)
        else { return .whole }
        return switch RequestedRange.parse(bytes, range.value.range, length: stored.bodyCount) {
        case .ignored: .whole
        case .unsatisfiable: .unsatisfiable
        case .part(let part): .partial(part)
        }
    }

    /// RFC 9110 13.1.5: by strong comparison, and by a date only where it is a strong validator.
    private func allowsRange(_ fields: borrowing Fields, _ bytes: Span<UInt8>) -> Bool {
        guard let condition = fields.first(.ifRange) else { return true }
        guard fields.count(.ifRange) == 1 else { return false }
        if let other = EntityTag(bytes, condition.value.range) {
            guard let tag = validators.entityTag, !tag.isWeak, !other.isWeak else { return false }
            let head = stored.head
            return bytes.equals(other.opaque.range, head.span, tag.opaque.range)
        }
        guard let date = HTTPDate.parse(bytes.extracting(condition.value.range)),
            let lastModified = validators.lastModified
        else { return false }
        let seen = validators.date ?? stored.receivedAt
        return date == lastModified && Lifetime.seconds(from: lastModified, to: seen) >= Self.strongAfter
    }

    /// A Last-Modified this much older than the answer identifies the content, in seconds (RFC 9110
    /// 8.8.2.2).
    private static var strongAfter: Int { 60 }
}
