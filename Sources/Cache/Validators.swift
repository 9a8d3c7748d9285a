import HTTP

// What tells one state of a stored response's content from another (RFC 9110 8.8), read once off
// its fields.
// Must hold: an entity tag that this cache made is honoured from clients and never shown to the
// origin, which does not know it; the origin is never sent anything that is not well-formed.

/// The validators among some field lines; ranges count in the bytes they were read from. Dates are
/// unix seconds.
public struct Validators: Sendable {
    /// The first ETag's value, whatever it is; empty where there is none.
    let tagValue: ByteRange
    /// The same as an entity tag; nil where it is none.
    let entityTag: EntityTag?
    /// Whether this cache made the tag.
    let isOwnTag: Bool
    /// The value of Last-Modified; empty where there is none that is a date.
    let lastModifiedValue: ByteRange
    /// Nil where absent or no date.
    public let lastModified: Int64?
    /// The first Date that is one.
    public let date: Int64?

    /// Inside the quotes of a tag of this cache's making; what follows is a digest.
    static let ownTagStart: StaticString = "\"refrain-"

    /// Reads `Name: value` lines; others are passed over.
    init(_ fields: Span<UInt8>) {
        var (tag, modified) = (ByteRange(), (value: ByteRange(), seconds: Int64?.none))
        var date: Int64?
        var lines = FieldLines()
        while let line = lines.next(in: fields) {
            let value = ByteRange(line.value.lowerBound, line.value.upperBound)
            switch line.id {
            case .etag where tag.isEmpty: tag = value
            case .lastModified where modified.seconds == nil:
                guard let seconds = HTTPDate.parse(fields.extracting(line.value)) else { continue }
                modified = (value, seconds)
            case .date: date = date ?? HTTPDate.parse(fields.extracting(line.value))
            default: break
            }
        }
        tagValue = tag
        entityTag = EntityTag(fields, tag.range)
        isOwnTag = Self.isOwn(fields, tag.range)
        (lastModifiedValue, lastModified) = modified
        self.date = date
    }

    /// Those of fields whose only validator is a tag that this cache made; of none where `value` is
    /// empty.
    init(ownTag value: ByteRange) {
        isOwnTag = !value.isEmpty
        tagValue = isOwnTag ? value : ByteRange()
        entityTag = isOwnTag ? EntityTag(strong: value) : nil
        (lastModifiedValue, lastModified, date) = (ByteRange(), nil, nil)
    }

    /// Whether an ETag's value is one that this cache made.
    static func isOwn(_ bytes: Span<UInt8>, _ value: Range<Int>) -> Bool {
        let count = ownTagStart.utf8CodeUnitCount
        return value.count > count && bytes.equals(value.lowerBound..<(value.lowerBound + count), ownTagStart)
    }

    /// The tag, if the origin wrote it and would understand it.
    var originTag: EntityTag? { isOwnTag ? nil : entityTag }

    /// Whether the origin can be asked for a 304.
    var canBeAsked: Bool { originTag != nil || lastModified != nil }
}

extension StoredResponse {
    /// Whether the origin can be asked to confirm it with a 304.
    public var isRevalidatable: Bool { validators.canBeAsked }

    /// `If-None-Match` and `If-Modified-Since` lines that ask the origin to confirm it (RFC 9111
    /// 4.3.1); empty without a validator of the origin's own.
    public var preconditionLines: [UInt8] {
        var lines: [UInt8] = []
        func append(_ name: StaticString, _ value: ByteRange) {
            name.withUTF8Buffer { lines.append(contentsOf: $0) }
            lines.append(contentsOf: head[value.range])
            lines.append(contentsOf: "\r\n".utf8)
        }
        if validators.originTag != nil { append("If-None-Match: ", validators.tagValue) }
        if validators.lastModified != nil { append("If-Modified-Since: ", validators.lastModifiedValue) }
        return lines
    }
}
