import Freshness
import HTTP
import Text

// One answer as a segment has it: a head of fixed size, then body, fields, and what a hit needs to
// know of the entry.
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

    /// The size of the head.
    static let headBytes = 32
    /// "Rec1", as a file has it.
    private static let mark: UInt32 = 0x3163_6552

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
        guard number(0) == Self.mark, number(4) == checkNumber else { return nil }
    }

    /// The record of `response`, whose facts take `factsCount` bytes.
    init(_ response: StoredResponse, key: Int64, factsCount: Int) {
        self.key = key
        bodyCount = response.filedBody.count
        fieldsCount = response.fields.count
        self.factsCount = factsCount
        isGzip = response.gzip != nil
    }

    /// Over the other numbers: who goes through a segment finds the next record by them alone.
    private var checkNumber: UInt32 {
        var sum = Checksum()
        for part in [Int(key), bodyCount, fieldsCount, factsCount, isGzip ? 1 : 0] { sum.combine(part) }
        return UInt32(truncatingIfNeeded: sum.value)
    }

    /// Whether the head at the beginning of `raw` says nothing that this program does not know.
    static func hasKnownFlags(_ raw: UnsafeRawBufferPointer) -> Bool {
        UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: 28, as: UInt32.self)) <= 1
    }

    /// Appends the whole record, up to its neighbour's beginning.
    func append(_ response: StoredResponse, _ facts: AnswerFacts, to bytes: inout [UInt8]) {
        let end = bytes.count + span
        appendAlone(response, facts, to: &bytes)
        bytes.append(contentsOf: repeatElement(0, count: end - bytes.count))
    }

    /// Appends the record without the room to its neighbour: `byteCount` bytes.
    func appendAlone(_ response: StoredResponse, _ facts: AnswerFacts, to bytes: inout [UInt8]) {
        func append(_ number: some FixedWidthInteger) {
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }
        append(Self.mark)
        append(checkNumber)
        append(key)
        append(UInt32(bodyCount))
        append(UInt32(fieldsCount))
        append(UInt32(factsCount))
        append(UInt32(isGzip ? 1 : 0))
        bytes.append(contentsOf: response.filedBody)
        bytes.append(contentsOf: response.fields)
        facts.append(to: &bytes)
    }
}

/// The facts of a row that its record lacks: a soft purge changes rows alone.
struct RowFacts {
    let lifetime: Lifetime
    let checksum: UInt64
}

extension SegmentRecord {
    enum Content {
        case response(StoredResponse)
        /// In a coding that this process cannot read.
        case unreadable
        case damaged
    }

    /// The fields in the bytes of a record; nil where it is damaged.
    static func fields(_ raw: UnsafeRawBufferPointer) -> [UInt8]? {
        guard let record = SegmentRecord(raw), record.span == raw.count else { return nil }
        let start = headBytes + record.bodyCount
        return Array(raw[start..<start + record.fieldsCount])
    }

    /// The answer for `key`. Nothing is copied but what the answer keeps.
    ///
    /// - Parameters:
    ///   - raw: the bytes that begin with this record; all of it is there.
    ///   - onDamage: makes, of when the answer came, what is called where it turns out later that
    ///     it cannot be inflated. Only asked for what is coded.
    func content(
        for key: CacheKey, _ raw: UnsafeRawBufferPointer, _ row: RowFacts? = nil, by gzip: Gzip,
        onDamage: (Int64) -> @Sendable () -> Void
    ) -> Content {
        let fieldsStart = Self.headBytes + bodyCount
        let factsStart = fieldsStart + fieldsCount
        let factBytes = UnsafeRawBufferPointer(rebasing: raw[factsStart..<byteCount])
        guard var facts = AnswerFacts(factBytes) else { return .damaged }
        if let row { (facts.lifetime, facts.checksum) = (row.lifetime, row.checksum) }
        if isGzip, !gzip.isAvailable { return .unreadable }
        let filed = Array(raw[Self.headBytes..<fieldsStart])
        var coded: CodedContent?
        if isGzip {
            coded = CodedContent(filed, gzip, onDamage: onDamage(facts.receivedAt))
            guard coded != nil else { return .damaged }
        }
        let response = StoredResponse(
            restoring: key, status: facts.status, fields: Array(raw[fieldsStart..<factsStart]),
            content: coded.map { .coded($0) } ?? .plain(filed), receivedAt: facts.receivedAt,
            lifetime: facts.lifetime, classTag: facts.classTag, storefront: facts.storefront,
            selecting: facts.selecting, resources: facts.resources, gzip: coded?.coded)
        return response.checksum == facts.checksum ? .response(response) : .damaged
    }
}
