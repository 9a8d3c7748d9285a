/// A field line of a head, as offsets into the bytes that were parsed.
public struct Field: Sendable, Equatable {
    /// The name, if something acts on it.
    public let id: FieldName
    /// The name as it was written.
    public let name: ByteRange
    /// Without surrounding whitespace; may be empty.
    public let value: ByteRange
}

/// The field lines of a head in their order. Storage is kept from one head to the next; a set of
/// the names that occur makes asking for an absent one free.
public struct Fields: RandomAccessCollection, Sendable {
    private var lines: [Field] = []
    private var present: UInt64 = 0

    /// No fields.
    public init() {}

    /// Always 0.
    public var startIndex: Int { 0 }
    /// How many lines there are.
    public var endIndex: Int { lines.count }
    /// The line at `index`, counted from 0.
    public subscript(index: Int) -> Field { lines[index] }

    /// Whether at least one line has this name. Meaningless for `other`, which is many names.
    public func contains(_ id: FieldName) -> Bool { present & Self.bit(id) != 0 }

    /// The first line of this name.
    public func first(_ id: FieldName) -> Field? {
        guard contains(id) else { return nil }
        for line in lines where line.id == id { return line }
        return nil
    }

    /// How many lines have this name.
    public func count(_ id: FieldName) -> Int {
        guard contains(id) else { return 0 }
        var count = 0
        for line in lines where line.id == id { count += 1 }
        return count
    }

    /// Whether a stored answer may have to be given in another form than whole: If-None-Match,
    /// If-Modified-Since, Range or If-Range is there (RFC 9111 4.3.2, RFC 9110 14.2).
    public var areConditional: Bool { present & Self.conditional != 0 }

    mutating func append(_ field: Field) {
        lines.append(field)
        present |= Self.bit(field.id)
    }

    mutating func removeAll() {
        lines.removeAll(keepingCapacity: true)
        present = 0
    }

    private static var conditional: UInt64 {
        bit(.ifNoneMatch) | bit(.ifModifiedSince) | bit(.range) | bit(.ifRange)
    }

    private static func bit(_ id: FieldName) -> UInt64 { 1 &<< UInt64(id.rawValue) }
}
