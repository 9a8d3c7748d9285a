import Foundation
import Testing

@testable import Cache

@Suite struct StoreBoundsTests {
    @Test(arguments: [1 << 20, 4 << 20, 100 << 20, 128 << 20, 1 << 30, 1 << 40])
    func thePartsFitIntoTheWhole(maxBytes: Int) {
        let bounds = StoreBounds(maxBytes: maxBytes)
        let frames = bounds.journalBytes / StoreBounds.pageBytes
        let shared = (frames / 4_062 + 1) * 32_768
        #expect(bounds.fileBytes + bounds.journalBytes + shared == maxBytes)
        #expect(bounds.fileBytes >= maxBytes / 2)
        let largest = StoreBounds.journalBytes(writing: max(bounds.batchBytes, bounds.largestResponse))
        #expect(bounds.checkpointBytes + largest <= bounds.journalBytes)
        #expect(bounds.batchRows >= 4 && bounds.largestResponse < bounds.fileBytes)
    }

    @Test func aLargeCacheKeepsWhatTheProxyMayStore() {
        #expect(StoreBounds(maxBytes: 1 << 30).largestResponse > 8 << 20 + 1 << 16)
        #expect(StoreBounds(maxBytes: 1 << 30).journalBytes == 32 << 20)
    }

    /// No disk has room for so much: what is used already counts then, and else does not.
    @Test func whatIsUsedCountsWhereTheDiskHasLessThanTheCacheMayTake() throws {
        let scratch = Scratch()
        try Data(count: 1 << 20).write(to: URL(fileURLWithPath: scratch.file))
        func bounds(_ maxBytes: Int) -> StoreBounds {
            StoreFile(path: scratch.file, maxBytes: maxBytes, isTemporary: false, log: { _ in }).bounds(with: 1 << 50)
        }
        #expect(bounds(1 << 60).fileBytes > 1 << 50 - 64 << 20 && bounds(1 << 60).fileBytes < 1 << 59)
        #expect(bounds(4 << 20) == StoreBounds(maxBytes: 4 << 20))
    }

    @Test func usesAreWrittenMoreRarelyTheLongerEntriesStay() {
        #expect(StoreBounds.useInterval(span: 0) == 60)
        #expect(StoreBounds.useInterval(span: 16 * 61) == 61)
        #expect(StoreBounds.useInterval(span: 86_400) == 3_600)
    }
}
