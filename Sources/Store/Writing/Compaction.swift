// Giving up a segment: its live records, those that rows name, are copied to the end of the last
// one, and then the file goes. This frees the space of evicted records (as in log-structured stores
// since Rosenblum and Ousterhout 1992, and in Bitcask).
// Must hold: a record is copied as it is; copy and row are on the disk before the old file goes, so
// that neither a crash nor a loss of power leaves a row without a record; a step reads a bounded
// part of a segment, unless one record is longer.

final class Compaction {
    /// The segment that is being given up, and how far it has been read.
    private var current: (segment: Int, offset: Int)?
    private let transactions: RowTransactions
    private let selectPlace: Statement
    private let updatePlace: Statement

    /// The bytes read of a segment at once; a longer record is read by itself.
    private static let readBytes = 1 << 20

    init(_ transactions: RowTransactions) throws(SQLiteError) {
        self.transactions = transactions
        selectPlace = try Statement(transactions.database, "SELECT place FROM entry WHERE key = ?1")
        updatePlace = try Statement(
            transactions.database,
            """
            UPDATE entry SET place = CASE WHEN place < 0 THEN -?3 ELSE ?3 END WHERE key = ?1 AND abs(place) = ?2
            RETURNING place
            """)
    }

    private struct LiveRecord {
        let key: Int64
        let place: Place
        let bytes: Range<Int>
    }

    /// Gives up a segment, from the next step on.
    func begin(_ segment: Int) {
        precondition(current == nil, "one segment is given up at a time")
        current = (segment, 0)
    }

    /// Copies a part of the live records, and in the end removes the segment; false where none is
    /// being given up. Rows whose record is damaged beyond recognition are left to the look-up that
    /// misses it.
    func goOn() throws(SQLiteError) -> Bool {
        guard let (segment, offset) = current else { return false }
        // It may have died meanwhile.
        if offset < transactions.ledger.log.bytes(of: segment), let next = try copyPart(of: segment, from: offset) {
            current = (segment, next)
            return true
        }
        try transactions.secure()
        if transactions.ledger.log.has(segment) { transactions.ledger.log.remove(segment) }
        current = nil
        return true
    }

    /// Copies live records from `offset` on, and says where the next part begins; nil at the end.
    private func copyPart(of segment: Int, from offset: Int) throws(SQLiteError) -> Int? {
        var buffer = [UInt8](repeating: 0, count: Self.readBytes)
        while true {
            let count = try read(segment, of: transactions.ledger.log.segments, at: offset, into: &buffer)
            guard count >= SegmentRecord.headBytes else { return nil }
            let (live, next) = try scan(buffer, count, segment, at: offset)
            if next > 0 {
                try copy(live, of: buffer)
                return offset + next
            }
            guard buffer.count < Place.longestSegment, count == buffer.count else { return nil }
            buffer = [UInt8](repeating: 0, count: buffer.count * 4)
        }
    }

    /// A read that fails is tried once more; then the segment is lost, and is given up no further.
    /// Nothing where there is no such segment.
    private func read(
        _ segment: Int, of segments: Segments, at offset: Int, into buffer: inout [UInt8]
    ) throws(SQLiteError) -> Int {
        let result = buffer.withUnsafeMutableBytes { raw in
            Result { () throws(SQLiteError) in
                func read() throws(SQLiteError) -> Int {
                    try segments.reading(segment) { (file) throws(SQLiteError) in try file.read(raw, at: offset) } ?? 0
                }
                do throws(SQLiteError) { return try read() } catch { return try read() }
            }
        }
        do throws(SQLiteError) { return try result.get() } catch {
            if error.segment != nil { current = nil }
            throw error
        }
    }

    /// The live records that lie whole in the buffer, and where the first begins that does not: 0
    /// where the first is longer than the buffer.
    private func scan(
        _ buffer: [UInt8], _ count: Int, _ segment: Int, at offset: Int
    ) throws(SQLiteError) -> (live: [LiveRecord], next: Int) {
        var (live, next): ([LiveRecord], Int) = ([], 0)
        while next + SegmentRecord.headBytes <= count {
            let head = buffer.withUnsafeBytes { SegmentRecord(UnsafeRawBufferPointer(rebasing: $0[next..<count])) }
            // Not even the length is believed where no row names the record: after a crash in the
            // middle of an append the next record begins at some unit after its head.
            guard let head, try isLive(head, at: offset + next, of: segment) else {
                next += Place.unit
                continue
            }
            guard next + head.span <= count else {
                // The last one may end with the file, before the end of its last unit.
                if next > 0 || count == buffer.count { return (live, next) }
                next += Place.unit
                continue
            }
            let place = Place(segment: segment, offset: offset + next, span: head.span)
            live.append(LiveRecord(key: head.key, place: place, bytes: next..<next + head.span))
            next += head.span
        }
        return (live, max(next, min(count, Place.unit)))
    }

    private func isLive(_ head: SegmentRecord, at offset: Int, of segment: Int) throws(SQLiteError) -> Bool {
        guard head.span <= Place.longestSegment else { return false }
        let place = Place(segment: segment, offset: offset, span: head.span)
        switch transactions.ledger.find(head.key) {
        case .place(let current): return current == place
        case .absent: return false
        case .unknown:
            let current = try selectPlace.firstRow(.integer(head.key)) { $0.integer(0) }
            return current?.magnitude == place.number.magnitude
        }
    }

    private func copy(_ records: [LiveRecord], of buffer: [UInt8]) throws(SQLiteError) {
        var waiting = records[...]
        while !waiting.isEmpty {
            let batch = waiting.prefix(transactions.bounds.batchRows)
            waiting = waiting.dropFirst(transactions.bounds.batchRows)
            var bytes: [UInt8] = []
            bytes.reserveCapacity(batch.reduce(0) { $0 + $1.bytes.count })
            for record in batch { bytes.append(contentsOf: buffer[record.bytes]) }
            let rowBytes = batch.count * SpaceBounds.estimate(rowBytes: 0)
            try transactions.makeRoomInJournal(for: rowBytes)
            let places = try transactions.ledger.log.append(
                bytes, spans: batch.map(\.bytes.count), segmentBytes: transactions.bounds.segmentBytes)
            try transactions.write(rowBytes) { () throws(SQLiteError) in
                for (record, place) in zip(batch, places) { try move(record, to: place) }
            }
        }
    }

    private func move(_ record: LiveRecord, to place: Place) throws(SQLiteError) {
        let values: [SQLValue] = [.integer(record.key), .integer(record.place.number), .integer(place.number)]
        try updatePlace.forEachRow(values) { row in
            let new = row.integer(0)
            transactions.ledger.move(record.key, from: record.place.number, to: new)
            return true
        }
    }
}
