import Foundation
import TestSupport
import Testing

@testable import Cache
@testable import Freshness
@testable import Store

@Suite struct FileTierTests {
    let scratch = Scratch()

    @Test func whatWasStoredSurvivesReopening() {
        let stored = (0..<300).map { number in
            response(
                "/v1/catalog/us/songs/\(number)?l=en", String(repeating: "é\(number)", count: number * 5),
                variant: number % 2 == 0 ? "gzip" : "",
                lifetime: Lifetime(freshFor: number, staleFor: 2, staleIfErrorFor: 3, keepFor: 4, initialAge: 5))
        }
        let store = scratch.open()
        for each in stored { store.store(each) }
        store.close()
        let reader = scratch.open().makeReader()
        for each in stored {
            let found = reader.lookup(each.key, at: noon)
            #expect(content(found) == content(each))
            #expect(found?.lifetime == each.lifetime && found?.receivedAt == each.receivedAt)
            #expect(found?.classTag == 1 && found?.storefront == each.storefront && found?.key == each.key)
        }
        #expect(reader.lookup(key("/v1/catalog/us/songs/1?l=en", "other"), at: noon) == nil)
    }

    @Test func readersSeeWhatIsStillQueued() {
        let store = scratch.open()
        let reader = store.makeReader()
        for round in 0..<200 {
            let each = response("/a", "round \(round)")
            store.store(each)
            #expect(content(reader.lookup(each.key, at: noon)) == content(each))
            store.remove(each.key)
            #expect(reader.lookup(each.key, at: noon) == nil)
        }
        store.flush()
        #expect(reader.lookup(key("/a"), at: noon) == nil && store.entries == 0)
    }

    @Test func totalsFollowEveryChange() throws {
        let store = scratch.open()
        for number in 0..<100 { store.store(response("/\(number)", filler(number))) }
        for number in 0..<50 { store.store(response("/\(number)", "short")) }
        for number in 90..<100 { store.remove(key("/\(number)")) }
        store.flush()
        #expect(store.entries == 90)
        #expect(try sqlite(scratch.file, "SELECT sum(size) FROM entry") == Int64(store.byteCount))
        #expect(try sqlite(scratch.file, "SELECT sum(body_size) FROM entry") == 50 * 5 + (50..<90).reduce(0, +))
        _ = try sqlite(scratch.file, "DELETE FROM entry WHERE target = '/1'")
        #expect(try sqlite(scratch.file, "SELECT entries FROM totals") == 89)
    }

    @Test func anOlderRemovalSparesWhatCameLater() {
        let store = scratch.open()
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
        let names = try FileManager.default.subpathsOfDirectory(atPath: scratch.directory)
        for name in names where !name.hasSuffix(".segments") {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: scratch.directory + "/" + name))
            #expect(bytes.range(of: Data(canary.utf8)) == nil)
        }
    }

    /// Answers waited for a transaction's milliseconds of work where cores were few.
    @Test func theWriterGivesWayToTheLoops() async {
        let store = scratch.open()
        let niceness = await withCheckedContinuation { continuation in
            store.runner.queue.async {
                continuation.resume(returning: getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0))
            }
        }
        #expect(niceness >= 10)
    }

    @Test func theLeastRecentlyUsedGoFirst() {
        let store = scratch.open(maxBytes: 3 << 19)
        let body = filler(10_000)
        for number in 0..<60 { store.store(response("/\(number)", body, at: noon + Int64(number))) }
        store.flush()
        #expect(store.entries == 60)
        for number in stride(from: 0, to: 60, by: 2) {
            store.touch(key("/\(number)"), at: noon + 1_000 + Int64(number))
        }
        store.flush()
        for number in 100..<155 { store.store(response("/\(number)", body, at: noon + 2_000)) }
        store.flush()
        let reader = store.makeReader()
        let left = (0..<60).filter { reader.lookup(key("/\($0)"), at: noon) != nil }
        #expect(left.filter { $0 % 2 == 0 }.count == 30, "those used later stay")
        let odd = left.filter { $0 % 2 == 1 }
        #expect(
            odd.count < 30 && odd == Array((0..<60).filter { $0 % 2 == 1 }.suffix(odd.count)), "the oldest went first")
    }

    @Test func aLoweredBoundIsReachedAfterTheNextOpening() throws {
        let store = scratch.open(maxBytes: 32 << 20)
        for number in 0..<500 { store.store(response("/\(number)", filler(20_000))) }
        store.close()
        let smaller = scratch.open(maxBytes: 2 << 20)
        waitUntil(within: 120) {
            let segments = (try? Segments.listed(in: Segments.folder(of: scratch.file))) ?? [:]
            let used = segments.values.reduce(DatabaseFile.size(scratch.file), +)
            return used <= 2 << 20 && smaller.byteCount <= 2 << 20
        }
        #expect(smaller.entries > 0)
        smaller.close()
        let attributes = try FileManager.default.attributesOfItem(atPath: scratch.file)
        #expect((attributes[.size] as? Int ?? .max) <= 2 << 20)
    }

    @Test func aResponseBeyondTheBoundIsDroppedAndCounted() {
        let store = scratch.open(maxBytes: 1 << 20)
        store.store(response("/a", "small"))
        store.flush()
        store.store(response("/a", filler(200_000)))
        store.flush()
        #expect(store.status.dropped == 1 && store.entries == 0)
    }

    @Test func purgesChooseByEveryCondition() async {
        let store = scratch.open()
        for storefront in ["us", "gb"] {
            for tag in 0..<3 {
                store.store(response("/é/\(storefront)/\(tag)", storefront: storefront, classTag: UInt8(tag)))
            }
        }
        // A purge chooses among what waits as well, which is no row yet.
        store.flush()
        func purge(_ mode: PurgeMode, _ conditions: EntrySelection.Condition...) async -> Int? {
            await store.purged(mode, EntrySelection(conditions))
        }
        #expect(await purge(.dryRun, .classTag(1)) == 2)
        #expect(await purge(.soft, .storefront(Array("us".utf8))) == 3)
        let reader = store.makeReader()
        #expect(reader.lookup(key("/é/us/1"), at: noon)?.freshFor == 0)
        #expect(reader.lookup(key("/é/gb/1"), at: noon)?.freshFor == 1_000_000)
        #expect(await purge(.hard, .prefix(Array("/é/g".utf8))) == 3)
        #expect(await purge(.hard, .target(Array("/é/us/2".utf8))) == 1)
        #expect(store.entries == 2)
        #expect(Set(await store.listed().map(\.path)) == ["/é/us/0", "/é/us/1"])
        #expect(await purge(.hard) == 2)
        #expect(store.entries == 0)
    }

    /// On the writer's queue, or while it holds the writer, waiting for the writer would never end.
    @Test func aListingDoesNotHoldTheWriter() async {
        let store = scratch.open()
        store.store(response("/1"))
        let listed: [String] = await withCheckedContinuation { continuation in
            store.records.entries(EntrySelection(), limit: 10, in: .use) { rows in
                store.store(response("/2"))
                store.flush()
                continuation.resume(returning: rows.map(\.path))
            }
        }
        #expect(listed == ["/1"], "what was queued before is written first")
        #expect(store.entries == 2)
    }

    @Test func operatorsCanReadTheFile() throws {
        let store = scratch.open()
        let now = Int64(Date().timeIntervalSince1970)
        store.store(response("/fresh", at: now, lifetime: Lifetime(freshFor: 1_000)))
        store.store(response("/stale", at: now - 50, lifetime: Lifetime(freshFor: 10, staleFor: 1_000)))
        store.store(response("/gone", at: now - 50, lifetime: Lifetime(freshFor: 10, keepFor: 1_000)))
        store.flush()
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM response WHERE class = 'songs'") == 3)
        for (target, freshness) in [("/fresh", "fresh"), ("/stale", "stale"), ("/gone", "expired")] {
            let sql = "SELECT count(*) FROM response WHERE target = '\(target)' AND freshness = '\(freshness)'"
            #expect(try sqlite(scratch.file, sql) == 1)
        }
        #expect(try sqlite(scratch.file, "SELECT age BETWEEN 50 AND 60 FROM response WHERE target = '/stale'") == 1)
    }

    @Test func classesHaveTheNamesOfTheLatestStart() throws {
        for names in [["albums", "songs"], ["albums", "tracks"]] {
            let store = FileTier.open(path: scratch.file, maxBytes: 64 << 20, classNames: names, log: { _ in })
            store.store(response("/a"))
            store.close()
        }
        #expect(try sqlite(scratch.file, "SELECT count(*) FROM response WHERE class = 'tracks'") == 1)
    }

    @Test func usesAreWrittenMoreRarelyTheFurtherTheyLieApart() {
        let store = scratch.open()
        store.store(response("/first", at: noon))
        store.store(response("/last", at: noon + 16 * 100))
        store.flush()
        #expect(store.useInterval.seconds == 100)
    }

    @Test func readersOnManyThreadsReadWhileTheWriterWrites() {
        let store = scratch.open(maxBytes: 2 << 20)
        concurrently(6) { thread in
            var generator = SeededGenerator(seed: UInt64(thread))
            let reader = store.makeReader()
            for step in 0..<1_500 {
                let number = Int.random(in: 0..<300, using: &generator)
                if thread < 2 {
                    store.store(response("/\(number)", "\(number):" + filler(step * 3)))
                } else if let found = reader.lookup(key("/\(number)"), at: noon) {
                    #expect(found.body.starts(with: Array("\(number):".utf8)))
                    if step % 7 == 0 { store.touch(found.key, at: noon + Int64(step)) }
                }
            }
        }
        store.flush()
        #expect(store.health == .available && store.status.damaged == 0 && store.status.failedReads == 0)
        #expect(store.entries > 0)
    }
}
