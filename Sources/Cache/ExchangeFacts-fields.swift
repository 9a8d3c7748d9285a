import HTTP

// The facts of a response read from its field lines: RFC 9111 5 and RFC 9110 12.5.5.

extension ResponseFacts {
    /// The facts of a parsed response. `bytes` is the buffer that `head` was parsed from.
    public init(_ head: ResponseHead, _ bytes: Span<UInt8>, responseDelay: Int = 0) {
        self.init(status: head.status)
        self.responseDelay = responseDelay
        for field in head.fields {
            merge(field, bytes.extracting(field.value.range))
        }
    }

    private mutating func merge(_ field: Field, _ value: Span<UInt8>) {
        switch field.id {
        case .cacheControl: cacheControl.merge(value)
        case .age: mergeAge(value)
        case .date: date = HTTPDate.parse(value)
        case .expires: mergeExpires(value)
        case .lastModified: lastModified = HTTPDate.parse(value)
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
            let isAccounted =
                value.equalsIgnoringCase(name, "accept-encoding") || value.equalsIgnoringCase(name, "origin")
            if !isAccounted { vary = .unaccounted }
        }
    }
}
