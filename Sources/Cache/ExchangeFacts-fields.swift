import HTTP

// The facts of a response read from its field lines: RFC 9111 5 and RFC 9110 12.5.5.

extension ResponseFacts {
    /// The facts that `Name: value\r\n` lines state.
    public init(status: Int, fields: Span<UInt8>) {
        self.init(status: status)
        var lines = FieldLines()
        while let line = lines.next(in: fields) { merge(line.id, fields.extracting(line.value)) }
    }

    /// Adds what one field line says: `value` without surrounding white space, lines in the order
    /// of the origin. Fields that no decision rests on are ignored.
    public mutating func merge(_ id: FieldName, _ value: Span<UInt8>) {
        switch id {
        case .cacheControl: cacheControl.merge(value)
        case .cdnCacheControl: targeted.merge(value)
        case .age: mergeAge(value)
        case .date: date = date ?? HTTPDate.parse(value)
        case .expires: mergeExpires(value)
        case .lastModified: lastModified = lastModified ?? HTTPDate.parse(value)
        case .etag: mergeEntityTag(value)
        case .vary: vary.merge(value)
        case .setCookie: setsCookie = true
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

    /// Only what the origin would understand if it were asked with it counts.
    private mutating func mergeEntityTag(_ value: Span<UInt8>) {
        guard !hasReadEntityTag, !value.isEmpty else { return }
        hasReadEntityTag = true
        hasEntityTag = EntityTag(value, 0..<value.count) != nil && !Validators.isOwn(value, 0..<value.count)
    }
}
