import HTTP

// Whether a client has the content of an answer already (RFC 9110 13.1.2, 13.1.3), stored or not.

extension Validators {
    /// Whether a request names this state of the content. If-None-Match goes before
    /// If-Modified-Since (RFC 9110 13.2.2).
    /// - Parameters:
    ///   - fields: of the request; their ranges count in `bytes`.
    ///   - lines: those that the validators were read from.
    ///   - lastModified: the date that If-Modified-Since is compared with; nil where there is none.
    func areKnown(
        to fields: borrowing Fields, _ bytes: Span<UInt8>, in lines: Span<UInt8>, lastModified: Int64?
    ) -> Bool {
        guard !fields.contains(.ifNoneMatch) else {
            for index in 0..<fields.endIndex where fields[index].id == .ifNoneMatch {
                if matchWeakly(fields[index].value, bytes, in: lines) { return true }
            }
            return false
        }
        guard let lastModified, fields.count(.ifModifiedSince) == 1, let field = fields.first(.ifModifiedSince),
            let since = HTTPDate.parse(bytes.extracting(field.value.range))
        else { return false }
        return since >= lastModified
    }

    /// Whether one of the listed tags, or `*`, is this one by weak comparison, or that of its coded
    /// form: both have the same content, and a client that has either needs none. A value that is
    /// no list of tags matches too where it is the origin's ETag byte for byte: some origins leave
    /// the quotes out.
    private func matchWeakly(_ list: ByteRange, _ bytes: Span<UInt8>, in lines: Span<UInt8>) -> Bool {
        if bytes.equals(list.range, "*") { return true }
        if !tagValue.isEmpty, bytes.equals(list.range, lines, tagValue.range) { return true }
        guard let tag = entityTag else { return false }
        var tags = EntityTags(list)
        while let other = tags.next(in: bytes) {
            if bytes.equals(other.opaque.range, lines, tag.opaque.range) { return true }
            if OwnTag.isCoded(other, bytes, of: tag, lines) { return true }
        }
        return false
    }
}

/// The 304 in place of a 200.
public enum NotModified {
    /// Whether the 304 has a field of the 200 (RFC 9110 15.4.5).
    ///
    /// It has the fields that caches need, and those that are not about the content. Last-Modified
    /// is only kept where there is no entity tag.
    public static func keeps(_ field: FieldName, hasTag: Bool) -> Bool {
        switch field {
        case .age, .cacheControl, .cacheStatus, .cdnCacheControl, .contentLocation, .date, .etag, .expires, .setCookie,
            .vary, .via:
            true
        case .lastModified: !hasTag
        default: false
        }
    }

    /// The field lines of a 304 where the 200 is passed on and not stored; nil where the client
    /// needs the content.
    /// - Parameters:
    ///   - fields: of the request; their ranges count in `bytes`.
    ///   - lines: the fields of the 200, each `Name: value` and CRLF.
    public static func lines(
        for method: Method, _ fields: borrowing Fields, _ bytes: Span<UInt8>, insteadOf lines: [UInt8]
    ) -> [UInt8]? {
        guard fields.areConditional, method == .get || method == .head else { return nil }
        let validators = Validators(lines.span)
        guard validators.areKnown(to: fields, bytes, in: lines.span, lastModified: validators.lastModified) else {
            return nil
        }
        let hasTag = !validators.tagValue.isEmpty
        var kept: [UInt8] = []
        var reader = FieldLines()
        while let line = reader.next(in: lines.span) {
            if keeps(line.id, hasTag: hasTag) { kept.append(lines.span.extracting(line.whole)) }
        }
        return kept
    }
}
