import TestSupport
import Testing

@testable import Store

@Suite struct SpaceBoundsTests {
    @Test(arguments: [1 << 20, 4 << 20, 100 << 20, 128 << 20, 1 << 30, 1 << 40])
    func thePartsFitIntoTheWhole(maxBytes: Int) {
        let bounds = SpaceBounds(maxBytes: maxBytes)
        let frames = bounds.journalBytes / Schema.pageBytes
        let shared = (frames / 4_062 + 1) * 32_768
        #expect(bounds.fileBytes + bounds.journalBytes + shared == maxBytes)
        #expect(bounds.fileBytes >= maxBytes / 2)
        let largest = SpaceBounds.journalBytes(writing: max(bounds.batchBytes, bounds.largestResponse))
        #expect(bounds.checkpointBytes + largest <= bounds.journalBytes)
        #expect(bounds.batchRows >= 4 && bounds.largestResponse < bounds.fileBytes)
    }

    @Test func aLargeCacheKeepsMuchAndWritesUsesRarely() {
        #expect(SpaceBounds(maxBytes: 1 << 30).largestResponse > 8 << 20 + 1 << 16)
        #expect(SpaceBounds(maxBytes: 1 << 30).journalBytes == 32 << 20)
        #expect(SpaceBounds.useInterval(span: 0) == 60)
        #expect(SpaceBounds.useInterval(span: 16 * 61) == 61)
        #expect(SpaceBounds.useInterval(span: 86_400) == 3_600)
    }

    /// No disk has room for that much: used space counts then, and else does not.
    @Test func whatIsUsedCountsWhereTheDiskHasLessThanTheCacheMayTake() throws {
        let folder = try TemporaryFolder()
        let path = try folder.put([UInt8](repeating: 0, count: 1 << 20), "cache.sqlite")
        func bounds(_ maxBytes: Int) -> SpaceBounds {
            DatabaseFile(path: path, maxBytes: maxBytes, isTemporary: false, log: { _ in }).bounds(with: 1 << 50)
        }
        #expect(bounds(1 << 60).fileBytes > 1 << 50 - 64 << 20 && bounds(1 << 60).fileBytes < 1 << 59)
        #expect(bounds(4 << 20) == SpaceBounds(maxBytes: 4 << 20))
    }
}
