import Cache
import Purging
import Store
import TestSupport
import Testing

@testable import Tier

@Suite struct PurgeHistoryTests {
    private func target(_ text: String) -> EntrySelection.Condition { .target(Array(text.utf8)) }

    private func history(_ records: [(UInt64, PurgeRecord)], mostBytes: Int = 1 << 20) -> PurgeHistory {
        var history = PurgeHistory(epoch, mostBytes: mostBytes)
        for (position, record) in records { history.note(record, at: LogPosition(position, 0), noted: noted()) }
        return history
    }

    @Test func onlyPurgesBeyondTheFenceCount() {
        let history = history([(10, purge(target("/a")))])
        for (position, expected) in [(9, true), (10, false), (11, false)] as [(UInt64, Bool)] {
            #expect(history.isPurged(answer("/a"), since: logMark(position)) == expected)
        }
        #expect(history.isPurged(answer("/a"), since: logMark(9, .max)))
        #expect(!history.isPurged(answer("/a"), since: logMark(10, 1)))
        #expect(!history.isPurged(answer("/b"), since: logMark(0)))
        let other = LogMark(LogEpoch(number: 1), LogPosition(.max, 0))
        #expect(history.isPurged(answer("/a"), since: other))
    }

    @Test func trimmedPurgesCountAndKnownOnesCountOnce() {
        let history = PurgeHistory(epoch, forgottenUntil: LogPosition(100, 0))
        #expect(history.isPurged(answer("/a"), since: logMark(99)))
        #expect(!history.isPurged(answer("/a"), since: logMark(100)))
        var known = self.history([(10, purge(target("/a"))), (20, purge(target("/b")))])
        known.note(purge(), at: LogPosition(10, 0), noted: noted())
        known.note(purge(), at: LogPosition(20, 0), noted: noted())
        #expect(known.count == 2 && !known.isPurged(answer("/c"), since: logMark(0)))
    }

    @Test func theHistoryIsBoundedInPurgesAndBytes() {
        var history = self.history([], mostBytes: 100 * (PurgeHistory.purgeBytes + 4))
        for number in 101...200 as ClosedRange<UInt64> {
            history.note(purge(target("/\(number)")), at: LogPosition(number - 100, 0), noted: noted())
        }
        #expect(history.count == 100 && history.forgottenUntil == .start)
        #expect(history.isPurged(answer("/101"), since: logMark(0)))
        #expect(!history.isPurged(answer("/x"), since: logMark(0)))
        history.note(purge(target("/201")), at: LogPosition(101, 0), noted: noted())
        #expect(history.count == 51 && history.forgottenUntil == LogPosition(50, 0))
        #expect(history.isPurged(answer("/x"), since: logMark(49)))
        #expect(!history.isPurged(answer("/x"), since: logMark(50)))
        #expect(history.isPurged(answer("/151"), since: logMark(50)))
        #expect(PurgeHistory.mostBytes == 16 << 20)
        // Their number alone was bounded: of long targets they took half a gibibyte.
        var large = self.history([], mostBytes: 10 * (PurgeHistory.purgeBytes + 8_000))
        for number in 1...40 as ClosedRange<UInt64> {
            let long = "/\(number)" + String(repeating: "x", count: 8_000 - "\(number)".count - 1)
            large.note(purge(target(long)), at: LogPosition(number, 0), noted: noted())
            #expect(large.count <= 10)
        }
        large.note(purge(target(String(repeating: "x", count: 1 << 20))), at: LogPosition(41, 0), noted: noted())
        #expect(large.count == 0 && large.forgottenUntil == LogPosition(41, 0))
    }

    /// Another node's clock was ahead, and its answer seemed to be from after the purge.
    @Test func aValueFromBeforeAPurgeWasReceivedBeforeIt() {
        var history = PurgeHistory(epoch)
        for number in 1...3 as ClosedRange<Int64> {
            let position = LogPosition(UInt64(10 * number), 0)
            history.note(purge(target("/a")), at: position, noted: noted(noon + 100 * number, 100 * number))
        }
        let now = noon + 1_000
        func latest(_ position: UInt64, at time: Int64 = now) -> Int64 {
            history.latestReceipt(since: logMark(position), at: time, noted(time, 1_000).instant)
        }
        #expect([0, 9, 10, 29, 30].map { latest($0) } == [noon + 99, noon + 99, noon + 199, noon + 299, now])
        // The clock was set ahead and back since.
        #expect(latest(0, at: now + 86_400) == noon + 99)
        #expect(latest(0, at: now - 86_400) == noon + 99 - 86_400)
    }

    @Test func aClockSetBackReordersNoPurges() {
        var history = PurgeHistory(epoch, mostBytes: 4 * (PurgeHistory.purgeBytes + 2))
        for (number, seconds) in [(1, 900), (2, 40), (3, 50), (4, 60)] as [(Int64, Int64)] {
            let position = LogPosition(UInt64(number), 0)
            history.note(purge(target("/a")), at: position, noted: noted(noon + seconds, number))
        }
        func latest(_ position: UInt64) -> Int64 {
            history.latestReceipt(since: logMark(position), at: noon + 1_000, noted(noon, 10).instant)
        }
        #expect(latest(0) == noon + 39)
        history.note(purge(target("/a")), at: LogPosition(5, 0), noted: noted(noon + 45, 5))
        #expect(history.count == 3 && latest(2) == noon + 44)
    }

    /// The same as a test of every purge, one by one.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func noPurgeIsOverlooked(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        func number() -> Int { Int.random(in: 0..<4, using: &generator) }
        func condition() -> EntrySelection.Condition {
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: .target(Array("/\(number())".utf8))
            case 1: .prefix(Array("/\(number())".utf8.prefix(number())))
            case 2: .storefront(Array("\(number())".utf8))
            case 3: .classTag(UInt8(number()))
            default: .resource(UInt64(number()))
            }
        }
        var history = PurgeHistory(epoch, mostBytes: 64 * PurgeHistory.purgeBytes)
        var all: [(LogPosition, PurgeRecord)] = []
        for step in 0..<400 {
            let position = LogPosition(UInt64(step / 3), UInt64(step % 3 + 1))
            let conditions = (0..<Int.random(in: 1...3, using: &generator)).map { _ in condition() }
            let record = PurgeRecord(
                selection: EntrySelection(conditions), mode: Bool.random(using: &generator) ? .hard : .soft,
                at: noon + Int64(number()), node: "a")
            history.note(record, at: position, noted: noted())
            all.append((position, record))
            let namesAny = number() == 0
            let stored = answer(
                "/\(number())", storefront: "\(number())", classTag: UInt8(number()),
                resources: namesAny ? [StoredResponse.everyResource] : [UInt64(number())])
            let logMark = LogMark(epoch, all[max(0, step - Int.random(in: 0..<60, using: &generator))].0)
            let isChosen = all.contains { $0.0 > logMark.position && $0.1.selection.chooses(stored) }
            let expected = isChosen || logMark.position < history.forgottenUntil
            #expect(history.isPurged(stored, since: logMark) == expected, "seed \(seed), step \(step)")
        }
    }
}
