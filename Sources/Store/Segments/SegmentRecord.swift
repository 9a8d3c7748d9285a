import Text

// One record as a segment has it: a head of fixed size, then body, fields and facts.
// Must hold: nothing in it is believed before the checksum in its facts agrees; no bytes of a
// damaged segment can trap.

/// The head of a record: numbers with the least significant byte first.
struct SegmentRecord {
    /// The first 64 bits of SHA-256 over the cache key.
    let key: Int64
    let bodyCount: Int
    let fieldsCount: Int
    let factsCount: Int
    let isGzip: Bool
    /// Whether the facts have `born`.
    let hasBorn: Bool

    /// The size of the head.
    static let headBytes = 32
    /// "Rec1", as a file has it, and "Rec2" where the facts have `born`.
    private static let (mark, markWithBorn): (UInt32, UInt32) = (0x3163_6552, 0x3263_6552)

    var byteCount: Int { Self.headBytes + bodyCount + fieldsCount + factsCount }
    /// From its beginning to its neighbour's.
    var span: Int { Place.span(of: byteCount) }

    /// Nil where no record begins here. `raw` may be longer than the record's span, or shorter.
    init?(_ raw: UnsafeRawBufferPointer) {
        guard raw.count >= Self.headBytes else { return nil }
        func number(_ offset: Int) -> UInt32 {
            UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        }
        key = Int64(littleEndian: raw.loadUnaligned(fromByteOffset: 8, as: Int64.self))
        (bodyCount, fieldsCount, factsCount) = (Int(number(16)), Int(number(20)), Int(number(24)))
        isGzip = number(28) & 1 != 0
        hasBorn = number(0) == Self.markWithBorn
        guard hasBorn || number(0) == Self.mark, number(4) == checkNumber else { return nil }
    }

    /// The head of `record`, whose key has this index.
    init(_ record: Record, key: Int64) {
        self.key = key
        bodyCount = record.body.count
        fieldsCount = record.fields.count
        factsCount = record.facts.byteCount
        isGzip = record.isGzip
        hasBorn = record.facts.hasBorn
    }

    /// Over the other numbers: a walk through a segment finds the next record by them alone.
    private var checkNumber: UInt32 {
        var sum = Checksum()
        sum.combine(Int(key))
        sum.combine(bodyCount)
        sum.combine(fieldsCount)
        sum.combine(factsCount)
        sum.combine(isGzip ? 1 : 0)
        return UInt32(truncatingIfNeeded: sum.value)
    }

    /// Appends the whole record, up to its neighbour's beginning.
    func append(_ record: Record, checksum: UInt64, to bytes: inout [UInt8]) {
        let end = bytes.count + span
        appendAlone(record, checksum: checksum, to: &bytes)
        bytes.append(contentsOf: repeatElement(0, count: end - bytes.count))
    }

    /// Appends the record without the room to its neighbour: `byteCount` bytes.
    func appendAlone(_ record: Record, checksum: UInt64, to bytes: inout [UInt8]) {
        func append(_ number: some FixedWidthInteger) {
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }
        append(hasBorn ? Self.markWithBorn : Self.mark)
        append(checkNumber)
        append(key)
        append(UInt32(bodyCount))
        append(UInt32(fieldsCount))
        append(UInt32(factsCount))
        append(UInt32(isGzip ? 1 : 0))
        bytes.append(contentsOf: record.body)
        bytes.append(contentsOf: record.fields)
        record.facts.append(to: &bytes, checksum: checksum)
    }
}

/// The facts of a row that its record lacks: a soft purge changes rows alone.
struct RowFacts {
    let times: RecordFacts.Times
    let checksum: UInt64
}

extension SegmentRecord {
    /// The record of `key` in the bytes at its place; nil where they are damaged.
    static func record(for key: RecordKey, _ raw: UnsafeRawBufferPointer, _ row: RowFacts? = nil) -> Record? {
        guard let head = SegmentRecord(raw), head.span == raw.count else { return nil }
        return head.record(for: key, raw, row)
    }

    /// The record for `key`; nil where its checksum does not agree. Only the record's own parts are
    /// copied.
    ///
    /// - Parameter raw: the bytes that begin with this record; all of it is there.
    func record(for key: RecordKey, _ raw: UnsafeRawBufferPointer, _ row: RowFacts? = nil) -> Record? {
        let fieldsStart = Self.headBytes + bodyCount
        let factsStart = fieldsStart + fieldsCount
        let bytes = UnsafeRawBufferPointer(rebasing: raw[factsStart..<byteCount])
        guard var (facts, checksum) = RecordFacts.read(bytes, hasBorn: hasBorn) else { return nil }
        if let row { (facts.times, checksum) = (row.times, row.checksum) }
        let record = Record(
            key: key, facts: facts, fields: Array(raw[fieldsStart..<factsStart])[...],
            body: Array(raw[Self.headBytes..<fieldsStart]), isGzip: isGzip)
        return record.checksum == checksum ? record : nil
    }
}

// A record as bytes for another process: without the room to a neighbour, and without `born`, which
// is a number of this process's purges.

extension Record {
    /// The bytes that `appendPortable` appends.
    public var portableByteCount: Int {
        SegmentRecord.headBytes + body.count + fields.count + portable.facts.byteCount
    }

    private var portable: Record {
        var portable = self
        portable.facts.born = 0
        return portable
    }

    /// Appends all of it but the key, with a checksum over all of that and the key. It costs a
    /// SHA-256 of the key and a sum over the content.
    public func appendPortable(to bytes: inout [UInt8]) {
        let portable = portable
        SegmentRecord(portable, key: key.index).appendAlone(portable, checksum: portable.checksum, to: &bytes)
    }

    /// The record of `key` in bytes that hold nothing else, born under 0; nil where they hold
    /// another key's, or one that is torn or changed.
    public init?(portable bytes: Span<UInt8>, for key: RecordKey) {
        let found = bytes.withUnsafeBytes { raw -> Record? in
            // Flags that this program does not know mean something.
            guard let head = SegmentRecord(raw), head.byteCount == raw.count, !head.hasBorn,
                UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: 28, as: UInt32.self)) <= 1
            else { return nil }
            return head.record(for: key, raw)
        }
        guard let found else { return nil }
        self = found
    }
}
