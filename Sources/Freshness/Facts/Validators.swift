import HTTP

// Validators tell one state of a stored response's content from another (RFC 9110 8.8). They are
// read once off its fields.
// Must hold: an entity tag that this cache made is honoured from clients and never shown to the
// origin, which does not know it; the origin is never sent anything that is not well-formed.

/// The validators among some field lines; ranges count in the bytes they were read from. Dates are
/// unix seconds.
public struct Validators: Sendable {
    /// The first ETag's value, whatever it is; empty where there is none.
    public let tagValue: ByteRange
    /// The value as an entity tag; nil where it is none.
    let entityTag: EntityTag?
    /// Whether this cache made the tag.
    let isOwnTag: Bool
    /// The value of Last-Modified; empty where there is none that is a date.
    let lastModifiedValue: ByteRange
    /// Nil where absent or no date.
    public let lastModified: Int64?
    /// The first Date that is one.
    public let date: Int64?

    /// Reads `Name: value` lines; others are passed over.
    public init(_ fields: Span<UInt8>) {
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
        isOwnTag = OwnTag.isOwn(fields, tag.range)
        (lastModifiedValue, lastModified) = modified
        self.date = date
    }

    /// Validators of fields whose only one is a tag that this cache made; of none where `value` is
    /// empty.
    public init(ownTag value: ByteRange) {
        isOwnTag = !value.isEmpty
        tagValue = isOwnTag ? value : ByteRange()
        entityTag = isOwnTag ? EntityTag(strong: value) : nil
        (lastModifiedValue, lastModified, date) = (ByteRange(), nil, nil)
    }

    /// The tag, if the origin wrote it and would understand it.
    var originTag: EntityTag? { isOwnTag ? nil : entityTag }

    /// Whether the origin can be asked for a 304.
    var canBeAsked: Bool { originTag != nil || lastModified != nil }
}
