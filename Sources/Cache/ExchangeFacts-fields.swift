import HTTP

// The facts of a response read from its field lines: RFC 9111 5 and RFC 9110 12.5.5.

extension ResponseFacts {
    /// Adds what one field line says: `value` without surrounding white space, lines in the order of the origin. Fields
    /// that no decision rests on are ignored.
    public mutating func merge(_ id: FieldName, _ value: Span<UInt8>) {
        switch id {
        case .cacheControl: cacheControl.merge(value)
        case .age: mergeAge(value)
        case .date: date = date ?? HTTPDate.parse(value)
        case .expires: mergeExpires(value)
        case .lastModified: lastModified = lastModified ?? HTTPDate.parse(value)
        case .etag: hasEntityTag = true
        case .vary: mergeVary(value)
        default: break
        }
    }

    /// Of several values the first counts, and one that is no number counts as none (RFC 9111 5.1).
    private mutating func mergeAge(_ value: Span<UInt8>) {
        guard !hasReadAge else { return }
        hasReadAge = true
        var elements = ListElements(of: value)
        age = elements.next(in: value).flatMap { DeltaSeconds.parse(value, $0.range) }
    }

    private mutating func mergeExpires(_ value: Span<UInt8>) {
        guard expires == .absent, let date = HTTPDate.parse(value) else {
            expires = .invalid
            return
        }
        expires = .at(date)
    }

    private mutating func mergeVary(_ value: Span<UInt8>) {
        var elements = ListElements(of: value)
        while let name = elements.next(in: value)?.range {
            if value.equalsIgnoringCase(name, "accept-encoding") { continue }
            if value.equalsIgnoringCase(name, "origin") {
                vary.namesOrigin = true
            } else {
                vary.namesOther = true
            }
        }
    }
}
