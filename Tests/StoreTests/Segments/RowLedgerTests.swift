import TestSupport
import Testing

@testable import Store

@Suite struct RowLedgerTests {
    /// The key up to which rows had been counted was left out: the segment of its new record was
    /// dead, and went with the record.
    @Test func theRecordOfTheKeyThatWasCountedLastWasDead() throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        var log = try SegmentLog(Segments(besides: folder.path + "/cache.sqlite"))
        let span = Place.span(of: 100)
        let record = [UInt8](repeating: 1, count: span)
        // A segment has room for one record.
        let first = try #require(try log.append(record, spans: [span], segmentBytes: span).first)
        let second = try #require(try log.append(record, spans: [span], segmentBytes: span).first)
        let ledger = RowLedger(KeyDirectory(mostKeys: 9), log)
        ledger.learn([], through: 5)
        ledger.add(5, at: first)
        ledger.commit()
        ledger.forgetChanges()
        #expect(ledger.log.deadSegments.isEmpty)
        ledger.move(5, from: first.number, to: second.number)
        ledger.commit()
        #expect(ledger.log.deadSegments == [first.segment])
    }
}
