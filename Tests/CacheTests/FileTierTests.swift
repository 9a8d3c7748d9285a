import Foundation
import Purging
import Testing

@testable import Cache
@testable import Freshness
@testable import Store

@Suite struct FileTierTests {
    let scratch = Scratch()

    @Test func answersSurviveReopening() throws {
        let stored = (0..<300).map { number in
            response(
                "/v1/catalog/us/songs/\(number)?l=en", String(repeating: "é\(number)", count: number * 5),
                variant: number % 2 == 0 ? "gzip" : "",
                lifetime: Lifetime(freshFor: number, staleFor: 2, staleIfErrorFor: 3, keepFor: 4, initialAge: 5),
                resources: number == 1 ? [StoredResponse.everyResource] : [0, 1, 1 << 63, .max - UInt64(number) - 1])
        }
        scratch.fill(stored)
        let reader = scratch.open().makeReader()
        for each in stored {
            let found = reader.lookup(each.key, at: noon)
            #expect(content(found) == content(each))
            #expect(found?.lifetime == each.lifetime && found?.receivedAt == each.receivedAt)
            #expect(found?.classTag == 1 && found?.storefront == each.storefront && found?.key == each.key)
            #expect(found?.resources == each.resources)
        }
        #expect(reader.lookup(key("/v1/catalog/us/songs/1?l=en", "other"), at: noon) == nil)
        let any = "SELECT count(*) FROM entry WHERE hex(resources) = 'FFFFFFFFFFFFFFFF'"
        #expect(try sqlite(scratch.file, any) == 1)
    }

    @Test func readersSeeTheQueueAndOldRemovalsSpareNewAnswers() {
        let (store, reader) = scratch.openWithReader()
        for round in 0..<200 {
            let each = response("/a", "round \(round)")
            store.store(each)
            #expect(content(reader.lookup(each.key, at: noon)) == content(each))
            store.remove(each.key)
            #expect(reader.lookup(each.key, at: noon) == nil)
        }
        store.flush()
        #expect(reader.lookup(key("/a"), at: noon) == nil && store.entries == 0)
        store.store(response("/a", at: noon + 10))
        store.remove(key("/a"), receivedBy: noon)
        store.flush()
        store.remove(key("/a"), receivedBy: noon)
        store.flush()
        #expect(store.entries == 1)
        store.remove(key("/a"), receivedBy: noon + 10)
        store.flush()
        #expect(store.entries == 0)
    }

    @Test func personalAnswersNeverReachTheFile() throws {
        let store = scratch.open()
        let canary = "canary-\(UUID().uuidString)"
        let personal = response("/v1/me/\(canary)", canary, scope: someone(1))
        store.store(personal)
        store.touch(personal.key, at: noon)
        store.remove(personal.key)
        store.flush()
        #expect(store.makeReader().lookup(personal.key, at: noon) == nil)
        store.close()
        #expect(try scratch.everything.range(of: Data(canary.utf8)) == nil)
    }

    @Test func theLeastRecentlyUsedGoFirst() {
        let (store, reader) = scratch.openWithReader(maxBytes: 3 << 19)
        let body = filler(10_000)
        store.write((0..<60).map { response("/\($0)", body, at: noon + Int64($0)) })
        #expect(store.entries == 60)
        for number in stride(from: 0, to: 60, by: 2) {
            store.touch(key("/\(number)"), at: noon + 1_000 + Int64(number))
        }
        store.flush()
        store.write((100..<155).map { response("/\($0)", body, at: noon + 2_000) })
        let left = (0..<60).filter { reader.lookup(key("/\($0)"), at: noon) != nil }
        #expect(left.filter { $0 % 2 == 0 }.count == 30, "those used later stay")
        let odd = left.filter { $0 % 2 == 1 }
        #expect(
            odd.count < 30 && odd == Array((0..<60).filter { $0 % 2 == 1 }.suffix(odd.count)), "the oldest went first")
    }

    @Test func aResponseBeyondTheBoundIsDroppedAndCounted() {
        let store = scratch.open(maxBytes: 1 << 20)
        store.write(response("/a", "small"))
        store.write(response("/a", filler(200_000)))
        #expect(store.status.dropped == 1 && store.entries == 0)
    }

    /// On the writer's queue, or while it holds the writer, waiting for the writer would never end.
    @Test func theWriterGivesWayAndNoListingHoldsIt() async {
        let store = scratch.open()
        store.store(response("/1"))
        let listed: [String] = await withCheckedContinuation { continuation in
            store.records.entries(EntrySelection(), limit: 10, in: .use) { rows in
                store.write(response("/2"))
                continuation.resume(returning: rows.map(\.path))
            }
        }
        #expect(listed == ["/1"], "what was queued before is written first")
        #expect(store.entries == 2)
        // Answers waited for a transaction's milliseconds of work where cores were few.
        let niceness = await withCheckedContinuation { continuation in
            store.runner.queue.async {
                continuation.resume(returning: getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0))
            }
        }
        #expect(niceness >= 10)
    }

    @Test func operatorsCanReadTheFile() throws {
        let store = scratch.open()
        let now = Int64(Date().timeIntervalSince1970)
        store.store(response("/fresh", at: now, lifetime: Lifetime(freshFor: 1_000)))
        store.store(response("/stale", at: now - 50, lifetime: Lifetime(freshFor: 10, staleFor: 1_000)))
        store.write(response("/gone", at: now - 50, lifetime: Lifetime(freshFor: 10, keepFor: 1_000)))
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM response WHERE class = 'songs'") == 3)
        for (target, freshness) in [("/fresh", "fresh"), ("/stale", "stale"), ("/gone", "expired")] {
            let sql = "SELECT count(*) FROM response WHERE target = '\(target)' AND freshness = '\(freshness)'"
            #expect(try sqlite(scratch.file, sql) == 1)
        }
        #expect(try sqlite(scratch.file, "SELECT age BETWEEN 50 AND 60 FROM response WHERE target = '/stale'") == 1)
        store.close()
        // Classes have the names of the latest start.
        FileTier.open(path: scratch.file, maxBytes: 64 << 20, classNames: ["albums", "tracks"], log: { _ in }).close()
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM response WHERE class = 'tracks'") == 3)
    }

    @Test func usesAreWrittenMoreRarelyTheFurtherTheyLieApart() {
        let store = scratch.open()
        store.store(response("/first", at: noon))
        store.write(response("/last", at: noon + 16 * 100))
        #expect(store.useInterval.seconds == 100)
    }

    @Test func readersDoNotKeepTheLogFromBeingEmptied() throws {
        let store = scratch.open(maxBytes: 8 << 20)
        let readers = (0..<3).map { _ in store.makeReader() }
        let body = filler(50_000)
        for number in 0..<400 {
            let each = response("/\(number % 60)", "\(number)" + body)
            store.write(each)
            for reader in readers { #expect(content(reader.lookup(each.key, at: noon)) == content(each)) }
        }
        #expect(store.health == .available && store.status.failedTransactions == 0)
        #expect(DatabaseFile.size(scratch.file + "-wal") <= SpaceBounds(maxBytes: 8 << 20).journalBytes)
        store.close()
        #expect(DatabaseFile.size(scratch.file + "-wal") == 0)
    }

    /// Two keys of one number would be as many as one: the row tells whose the record is.
    @Test func aRecordOfAnotherKeyOrPlaceIsNoDamage() throws {
        let (store, reader) = scratch.openWithReader()
        store.write(response("/a", "one"))
        let place = try sqlite(scratch.file, "SELECT place FROM entry")
        store.shared.directory.set(key("/b").index, place)
        #expect(reader.lookup(key("/b"), at: noon) == nil && store.status.damaged == 0)
        #expect(reader.lookup(key("/a"), at: noon)?.body == Array("one".utf8))
        // The writer moves records while others read them.
        // As if the directory had been asked before the move.
        let index = key("/a").index
        store.shared.directory.set(index, Place(segment: 7, offset: 64, span: 128).number)
        #expect(reader.lookup(key("/a"), at: noon)?.body == Array("one".utf8) && store.status.damaged == 0)
    }
}
