import Foundation
import TestSupport
import Testing

@testable import Store

/// Damage that no look-up has met.
@Suite(.timeLimit(.minutes(10))) struct StoreCheckTests {
    let scratch = Scratch()
    private static let entries = (0..<60).map { number in
        record("/\(number)", String(repeating: "<body \(number)>", count: 40), resources: [3, UInt64(number) + 9])
    }

    @discardableResult
    private func pass(_ store: RecordStore) -> Int {
        var pieces = 0
        while let piece = store.check.checkPiece(), !piece.isLast { pieces += 1 }
        return pieces
    }

    @Test func damagedRowsThatNobodyAsksForAreDroppedAndGoodOnesStay() throws {
        scratch.fill(Self.entries)
        let damaged: Set = [0, 7, 8, 31, 59]
        for number in damaged { try scratch.flip("<body \(number)>") }
        let (store, reader) = scratch.openWithReader()
        pass(store)
        #expect(store.entries == Self.entries.count - damaged.count && store.status.damaged == damaged.count)
        #expect(store.status.checked == Self.entries.count)
        #expect(scratch.said.count == 2 && scratch.said[1].contains("5 of 60 rows were damaged"), "\(scratch.said)")
        for (number, each) in Self.entries.enumerated() {
            #expect(content(reader.find(each.key)) == (damaged.contains(number) ? nil : content(each)))
        }
        #expect(store.status.damaged == damaged.count, "they are gone, not damaged still")
        pass(store)
        #expect(store.status.damaged == damaged.count && scratch.said.count == 2 && scratch.setAside.isEmpty)
    }

    @Test(arguments: [
        "UPDATE entry SET fresh_for = fresh_for + 1", "UPDATE entry SET content_sum = content_sum + 1",
        "UPDATE entry SET checksum = checksum + 1", "UPDATE entry SET status = 7", "UPDATE entry SET target = '/x'",
        "UPDATE entry SET variant = 'x'", "UPDATE entry SET key = key + 1", "UPDATE entry SET selecting = 'x'",
        "UPDATE entry SET storefront = 'gb'", "UPDATE entry SET place = place + 1", "UPDATE entry SET place = 0",
        "UPDATE entry SET place = place + (1 << 39)",
        // The column that a purge by resource reads.
        "UPDATE entry SET resources = zeroblob(16)", "UPDATE entry SET resources = x''",
    ])
    func everythingThatIsWrittenIsLookedAt(change: String) throws {
        scratch.fill(Self.entries)
        let database = try Database(path: scratch.file, mode: .readWrite, busyTimeout: .seconds(5))
        try database.execute(change + " WHERE id = 5")
        let store = scratch.open()
        pass(store)
        #expect(store.entries == Self.entries.count - 1 && store.status.damaged == 1)
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM entry WHERE id = 5") == 0)
    }

    @Test func nothingIsWrongWithRowsOfAnyKind() async {
        let store = scratch.open()
        store.store(record("/index", "", selecting: "accept-language"))
        store.store(record("/variant", variant: "de"))
        store.store(record("/empty", ""))
        store.store(record("/any", resources: [RecordFacts.everyResource]))
        store.store(record("/gzip", isGzip: true))
        store.write(record("/soft", times: RecordFacts.Times(freshFor: 10, staleFor: 100)))
        _ = await store.purged(.soft, [.target("/soft")], at: noon + 3)
        let count = store.entries
        pass(store)
        #expect(store.status.checked == count && store.entries == count && store.status.damaged == 0)
    }

    @Test func piecesAndTheirPaceAreBounded() {
        let store = scratch.open()
        for number in 0..<600 { store.store(record("/small/\(number)")) }
        store.write((0..<200).map { record("/\($0)", filler(10_000)) })
        var rows: [Int] = []
        while let piece = store.check.checkPiece(), !piece.isLast {
            rows.append(piece.rows)
            #expect(piece.rows <= CheckPass.pieceRows && piece.bytes <= CheckPass.pieceBytes + 12_000)
        }
        #expect(rows.reduce(0, +) == 800 && rows.count >= 10, "\(rows)")
        let second: UInt64 = 1_000_000_000
        #expect(CheckPass.rest(bytes: 256 << 10, took: 1_000, rate: 1 << 20) == second / 4)
        #expect(CheckPass.rest(bytes: 1 << 20, took: second, rate: 1 << 20) == 9 * second, "a slow disk")
        #expect(CheckPass.rest(bytes: 0, took: 0, rate: 1) == 0)
    }

    /// Between the look and the removal anything may have been written.
    @Test func aRowThatIsGoodByNowStays() {
        scratch.fill(Self.entries)
        let store = scratch.open()
        #expect(store.runner.work.withLock { $0.drop(damaged: [1, 2, 3, 999]) } == 0)
        #expect(store.entries == Self.entries.count && store.status.damaged == 0)
    }

    @Test func tornPagesThatNobodyAsksForAreFoundToo() throws {
        scratch.fill(Self.entries)
        let store = scratch.open()
        try scratch.damage()
        pass(store)
        store.flush()
        #expect(scratch.setAside.count == 1 && store.health == .available, "\(scratch.said)")
        #expect(store.check.checkPiece()?.isLast == true, "the fresh file")
    }

    /// The check began anew at the first row, and met the segment again.
    @Test func aSegmentThatCannotBeReadDoesNotEndTheLook() throws {
        scratch.fill((0..<300).map { record("/\($0)", filler(3_000)) }, maxBytes: 4 << 20, atOnce: 20)
        scratch.makeUnreadable(1)
        let store = scratch.open(maxBytes: 4 << 20)
        // The failure that was reported is not examined before the end.
        let isHeld = DispatchSemaphore(value: 0)
        store.runner.queue.async { isHeld.waitOrFail() }
        let pieces = pass(store)
        #expect(pieces >= 2 && store.status.checked == 300 && store.status.damaged == 0)
        #expect(store.list(limit: 1_000).count == 300, "it is no matter of listings")
        isHeld.signal()
        waitUntil { store.status.lost > 0 }
        #expect(store.status.lost < 300 && scratch.said.contains { $0.contains("it is discarded") }, "\(scratch.said)")
        pass(store)
        #expect(store.makeReader().find("/299") != nil)
    }

    /// The check begins once there is a rate.
    @Test func itBeginsByItselfAndCanBeSwitchedOff() throws {
        scratch.fill(Self.entries)
        try scratch.flip("<body 4>")
        let store = scratch.open()
        store.checkRate = 64 << 20
        waitUntil(within: 600) { store.status.damaged == 1 }
        #expect(store.status.damaged == 1)
        store.checkRate = 0
        #expect(store.checkRate == 0)
    }
}
