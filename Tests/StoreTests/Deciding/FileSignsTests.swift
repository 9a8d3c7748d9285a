import Testing

@testable import Store

/// A slip in one line renamed a key, or another program's database.
@Suite struct FileSignsTests {
    private func header(
        mark: Int64 = 0, version: Int = 0, pageBytes: Int = 4_096, isIncremental: Bool = false
    ) -> [UInt8] {
        var bytes = Array("SQLite format 3\0".utf8) + [UInt8](repeating: 0, count: 84)
        func put(_ number: Int, _ range: Range<Int>) {
            for (place, index) in range.reversed().enumerated() { bytes[index] = UInt8(number >> (8 * place) & 0xFF) }
        }
        put(pageBytes, 16..<18)
        put(isIncremental ? 1 : 0, 52..<56)
        put(version, 60..<64)
        put(isIncremental ? 1 : 0, 64..<68)
        put(Int(mark), 68..<72)
        return bytes
    }

    private var other: FileSigns.Verdict { .foreign(FileSigns.otherDatabase) }

    private func verdict(
        _ beginning: [UInt8]?, _ byteCount: Int = 1 << 20, log: Int = 0, segments: Bool = false
    ) -> FileSigns.Verdict {
        FileSigns(byteCount: byteCount, beginning: beginning, logBytes: log, hasSegments: segments).verdict
    }

    private func isForeign(_ verdict: FileSigns.Verdict) -> Bool {
        if case .foreign = verdict { true } else { false }
    }

    @Test func theMarkShowsThatItIsOursAndNothingElseDoes() {
        for version in [0, 9, 10, 99] {
            #expect(verdict(header(mark: Schema.applicationID, version: version)) == .ours)
        }
        for segments in [false, true] {
            #expect(verdict(header(), segments: segments) == other)
            #expect(verdict(header(version: 10), 4_096, segments: segments) == other)
            #expect(verdict(header(mark: 1), 4_096, segments: segments) == other)
        }
    }

    @Test func segmentsShowItAndAnEmptyFileMayBeTaken() {
        let junk = [UInt8](repeating: 0xA5, count: DatabaseHeader.byteCount)
        #expect(verdict(junk, segments: true) == .ours && isForeign(verdict(junk)))
        #expect(verdict(nil, segments: true) == .ours && verdict(nil) == .unread)
        // One bit of the mark; or a crash of the machine in the first copy of the log.
        for mark in [Schema.applicationID ^ 1, 0] {
            let settings = header(mark: mark, pageBytes: Schema.pageBytes, isIncremental: true)
            #expect(verdict(settings, segments: true) == .ours && verdict(settings) == other)
        }
        #expect(verdict([], 0) == .vacant && verdict(nil, 0) == .vacant && verdict(header(), 4_096) == .vacant)
        #expect(verdict(header(), 4_096, log: 1) == other, "its tables may be in its log")
        let begun = header(pageBytes: Schema.pageBytes, isIncremental: true)
        #expect(verdict(begun, 2 * Schema.pageBytes, log: 1) == .vacant, "a start that was cut off")
        #expect(isForeign(verdict(Array("x".utf8), 1)))
    }
}
