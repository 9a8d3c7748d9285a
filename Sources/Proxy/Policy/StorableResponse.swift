import AppleMusic
import Cache
import EventLoop
import Freshness
import HTTP
import Upstream

/// Facts about the origin's answer that the cache needs, read off its fields once.
extension UpstreamResponse {
    /// The facts that a store decision rests on.
    var facts: ResponseFacts {
        var facts = ResponseFacts(status: status)
        for line in fields.lines where !isOutdated(line.id) {
            facts.merge(line.id, fields.bytes.span.extracting(line.value))
        }
        facts.responseDelay = delay
        return facts
    }

    /// Whole seconds between request and answer (RFC 9111 4.2.3).
    var delay: Int { Int((receivedAt.nanoseconds - requestedAt.nanoseconds) / 1_000_000_000) }

    /// A coding that was not asked for: stored content must be readable here.
    var hasContentCoding: Bool {
        !isInflated
            && fields.lines.contains { line in
                line.id == .contentEncoding && !fields.bytes[line.value].elementsEqual("identity".utf8)
            }
    }

    /// The resources that the content names and shows; perhaps any, where a coding hides them.
    var scan: DocumentScan { hasContentCoding ? .hidden : DocumentScan(body) }

    /// With the client's own parameters in the `next` of the page that it is (`next complete`);
    /// itself where it is none.
    func completingNext(of canonical: [UInt8]) -> UpstreamResponse {
        var target = CanonicalTarget()
        guard status == 200, original == nil, !hasContentCoding, (try? target.parse(canonical.span)) != nil,
            let map = DocumentScan(body).document,
            let completed = CompletedNext.completing(body.span, document: map, target: target)
        else { return self }
        var copy = self
        copy.original = body
        copy.body = completed
        copy.gzip = nil
        return copy
    }

    /// Whether the field says something about a content that is not this one any more.
    private func isOutdated(_ id: FieldName) -> Bool {
        original != nil && (id == .etag || id == .lastModified) || isInflated && id == .contentEncoding
    }

    /// The lines that may be stored; `KeptFields` chooses among them.
    func storableFields(isPersonal: Bool) -> [UInt8] {
        lines(isPersonal) { $0 != .age }
    }

    /// The lines that a confirmation brings for the stored answer; its `Age` counts, and is not
    /// stored.
    func freshFields(isPersonal: Bool) -> [UInt8] {
        lines(isPersonal) { _ in true }
    }

    /// The lines that an answer which is not stored goes on with. A cookie is for the client whose
    /// request brought the answer, and not for the clients that waited for it (FRAMING 5.2).
    func forwardableFields(isPersonal: Bool, isCollapsed: Bool = false) -> [UInt8] {
        lines(isPersonal) { ($0 != .date || hasDate) && !($0 == .setCookie && isCollapsed) }
    }

    /// Whether the origin says when it made the answer. If it does, no recipient may say so in its
    /// place (RFC 9110 6.6.1).
    var hasDate: Bool {
        var dates = 0
        for line in fields.lines where line.id == .date {
            guard HTTPDate.parse(fields.bytes.span.extracting(line.value)) != nil else { return false }
            dates += 1
        }
        return dates == 1
    }

    /// A personal answer tells caches downstream and browsers not to store it, whatever the origin
    /// said.
    private func lines(_ isPersonal: Bool, _ isKept: (FieldName) -> Bool) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(fields.bytes.count + 64)
        for line in fields.lines where !isOutdated(line.id) && isKept(line.id) {
            if isPersonal && (Self.isAboutCaching(line.id) || guardsPersonal(line)) { continue }
            result.append(contentsOf: fields.bytes[line.line])
        }
        result += Self.via
        if isPersonal { result += Self.personal }
        return result
    }

    /// RFC 9110 7.6.3: the protocol it came by, and who passes it on.
    private static let via = Array("Via: 1.1 refrain\r\n".utf8)

    /// Neither caches keep it, nor can a page of another site show or run it without asking (Fetch
    /// standard, `Cross-Origin-Resource-Policy` and `X-Content-Type-Options`).
    private static let personal = Array(
        """
        Cache-Control: private, no-store\r
        Cross-Origin-Resource-Policy: same-origin\r
        X-Content-Type-Options: nosniff\r

        """.utf8)

    private func guardsPersonal(_ line: UpstreamFields.Line) -> Bool {
        guard line.id == .other else { return false }
        let name = fields.bytes.span.extracting(line.name)
        return name.equalsIgnoringCase(0..<name.count, "cross-origin-resource-policy")
            || name.equalsIgnoringCase(0..<name.count, "x-content-type-options")
    }

    private static func isAboutCaching(_ id: FieldName) -> Bool {
        id == .cacheControl || id == .expires || id == .pragma || id == .cdnCacheControl
    }
}

// Answers that came in gzip because they were asked for so: inflated once, before anything looks at
// them.

extension UpstreamResponse {
    /// Whether the content came in gzip and in nothing else.
    var isGzip: Bool {
        var codings = fields.lines.filter { $0.id == .contentEncoding }.makeIterator()
        guard let first = codings.next(), codings.next() == nil else { return false }
        return ContentCoding.named(fields.bytes.span.extracting(first.value)) == .gzip
    }

    /// The content in gzip, where that saves more than a second form costs.
    var storableGzip: [UInt8]? { body.count < GzipForm.leastBytes ? nil : gzip }

    /// The response with its content inflated; itself where it did not come in gzip. An answer
    /// whose coding is damaged is as malformed as one whose framing is.
    func inflated(by gzip: Gzip) throws(Gzip.Failure) -> UpstreamResponse {
        // Some statuses have no content, and origins in trouble name a coding and send none.
        guard gzip.isAvailable, isGzip, !body.isEmpty || status == 200 else { return self }
        var copy = self
        copy.body = try gzip.inflate(body)
        copy.gzip = body
        copy.isInflated = true
        return copy
    }
}
