import CSQLite
import Glibc

// The writer's side of the segments: where the next record goes, how much of each segment is still
// named by rows, and which one is worth copying elsewhere.
// Must hold: records are written before the rows that name them, and brought to the disk before
// them too; a segment goes only after no row on the disk names it; exactly the records that rows
// name are counted as live.

struct SegmentLog {
    private struct Usage {
        /// The size of the file.
        var bytes = 0
        /// The bytes of records that rows name.
        var live = 0
        var dead: Int { bytes - live }
    }

    let segments: Segments
    private var usages: [Int: Usage] = [:]
    /// The segment to which records are appended; nil until the first is, and after `closeHead`.
    private var head: (number: Int, file: SegmentFile)?
    private var lastNumber = 0
    /// Whether records may be appended to the last one of an earlier run.
    private var reopensLast = true
    /// The size of all segments, in bytes.
    private(set) var byteCount = 0
    /// Segments that may hold bytes that are not on the disk: at first all, because an earlier run
    /// may have been killed.
    private var unsynchronized: Set<Int> = []

    /// Takes over the segments that are there. The last one is written on.
    init(_ segments: Segments) throws(SQLiteError) {
        self.segments = segments
        guard mkdir(segments.folder, 0o700) == 0 || errno == EEXIST else {
            throw SegmentFile.error(errno, "\(segments.folder) cannot be created")
        }
        segments.closeAll()
        for (number, bytes) in try Segments.listed(in: segments.folder) {
            // The next record begins at a whole unit, whatever a crash has left.
            let whole = (bytes + Place.unit - 1) / Place.unit * Place.unit
            usages[number] = Usage(bytes: whole)
            byteCount += whole
            unsynchronized.insert(number)
            lastNumber = max(lastNumber, number)
        }
    }

    /// The segment to which the next records go, if there is one and it has room.
    private var current: Int? { head?.number ?? (reopensLast ? lastNumber : nil) }

    /// Whether there is a segment of that number.
    func has(_ segment: Int) -> Bool { usages[segment] != nil }

    /// Notes that rows name, or no longer name, these places.
    mutating func note(named: [Place], dropped: [Place]) {
        for place in named { usages[place.segment]?.live += place.span }
        for place in dropped { usages[place.segment]?.live -= place.span }
    }

    /// The segment to give up next: one of which hardly anything is live, or, where more than
    /// `slack` bytes are dead altogether, the one with the largest dead part. Nil where evicting
    /// more rows is better than copying.
    func victim(slack: Int) -> Int? {
        var (best, bestPart, dead) = (0, 0.0, 0)
        for (number, usage) in usages where number != current {
            dead += usage.dead
            let part = Double(usage.dead) / Double(max(usage.bytes, 1))
            if part > bestPart { (best, bestPart) = (number, part) }
        }
        return bestPart >= Self.mostlyDead || dead > slack && bestPart > 0 ? best : nil
    }

    /// From this dead part on a segment is given up in any case.
    private static let mostlyDead = 0.9

    /// Segments of which nothing is live.
    var deadSegments: [Int] { usages.filter { $0.key != head?.number && $0.value.live <= 0 }.map(\.key) }

    func bytes(of segment: Int) -> Int { usages[segment]?.bytes ?? 0 }

    /// Lets a segment go, that no row on the disk names any more.
    mutating func remove(_ segment: Int) {
        if segment == current { closeHead() }
        segments.remove(segment)
        unsynchronized.remove(segment)
        byteCount -= usages.removeValue(forKey: segment)?.bytes ?? 0
    }

    /// Appends records, each with its span, and returns where they are. A failed write is taken
    /// back.
    ///
    /// - Parameter segmentBytes: beyond it the next record begins another segment.
    mutating func append(
        _ bytes: [UInt8], spans: [Int], segmentBytes: Int
    ) throws(SQLiteError) -> [Place] {
        var places: [Place] = []
        places.reserveCapacity(spans.count)
        var (start, next) = (0, 0)
        while next < spans.count {
            let (file, number) = try openHead(for: spans[next], segmentBytes)
            let offset = usages[number]?.bytes ?? 0
            var end = start
            while next < spans.count {
                let fits = offset + end - start + spans[next] <= segmentBytes || (offset == 0 && end == start)
                guard fits else { break }
                places.append(Place(segment: number, offset: offset + end - start, span: spans[next]))
                end += spans[next]
                next += 1
            }
            try write(bytes, start..<end, file, number, at: offset)
            start = end
        }
        return places
    }

    private mutating func write(
        _ bytes: [UInt8], _ range: Range<Int>, _ file: SegmentFile, _ number: Int, at offset: Int
    ) throws(SQLiteError) {
        try bytes.withUnsafeBufferPointer { (bytes) throws(SQLiteError) in
            try file.write(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[range])), at: offset)
        }
        unsynchronized.insert(number)
        usages[number, default: Usage()].bytes += range.count
        byteCount += range.count
    }

    /// The segment to which a record of that span is appended: another where the head is full.
    private mutating func openHead(for span: Int, _ segmentBytes: Int) throws(SQLiteError) -> (SegmentFile, Int) {
        if let head, hasRoom(head.number, span, segmentBytes) { return (head.file, head.number) }
        // The last one of an earlier run.
        if reopensLast, lastNumber > 0, hasRoom(lastNumber, span, segmentBytes),
            let file = try? segments.openForWriting(lastNumber, isNew: false)
        {
            (head, reopensLast) = ((lastNumber, file), false)
            return (file, lastNumber)
        }
        guard lastNumber < Place.lastSegment else {
            throw SQLiteError(code: SQLITE_FULL, message: "\(segments.folder) has used all segment numbers")
        }
        let file = try segments.openForWriting(lastNumber + 1, isNew: true)
        lastNumber += 1
        usages[lastNumber] = Usage()
        (head, reopensLast) = ((lastNumber, file), false)
        return (file, lastNumber)
    }

    /// The next record begins another segment, so that this one can go too.
    mutating func closeHead() { (head, reopensLast) = (nil, false) }

    private func hasRoom(_ segment: Int, _ span: Int, _ segmentBytes: Int) -> Bool {
        guard let used = usages[segment]?.bytes else { return false }
        return used == 0 || used + span <= segmentBytes
    }

    /// Whether the names of folder and head still mean the open files.
    var isInPlace: Bool { head?.file.hasName ?? (access(segments.folder, F_OK) == 0) }

    /// Waits until all records are on the disk.
    mutating func synchronize() throws(SQLiteError) {
        while let number = unsynchronized.first {
            try segments.synchronize(number)
            unsynchronized.removeFirst()
        }
    }
}
