import Cache
import TestSupport
import Testing

@testable import Tier

/// What the purges of the log mean for a value.
@Suite struct PurgeHistoryTests {
    private func target(_ text: String) -> EntrySelection.Condition { .target(Array(text.utf8)) }

    private func history(_ records: [(UInt64, PurgeRecord)], most: Int = 100) -> PurgeHistory {
        var history = PurgeHistory(epoch, most: most)
        for (position, record) in records { history.note(record, at: LogPosition(position, 0)) }
        return history
    }

    @Test func onlyPurgesBeyondTheFenceCount() {
        let history = history([(10, purge(target("/a")))])
        for (position, expected) in [(9, .gone), (10, .untouched), (11, .untouched)] as [(UInt64, PurgeHistory.Fate)] {
            #expect(history.fate(of: answer("/a"), fence: fence(position)) == expected)
        }
        #expect(history.fate(of: answer("/a"), fence: fence(9, .max)) == .gone)
        #expect(history.fate(of: answer("/a"), fence: fence(10, 1)) == .untouched)
        #expect(history.fate(of: answer("/b"), fence: fence(0)) == .untouched)
    }

    @Test(
        arguments: [
            [], [.target(Array("/v1/a".utf8))], [.prefix(Array("/v1/".utf8))], [.storefront(Array("us".utf8))],
            [.classTag(1)], [.resource(7)], [.resource(7), .storefront(Array("us".utf8))],
            [.target(Array("/v1/a".utf8)), .resource(7)],
        ] as [[EntrySelection.Condition]])
    func everyConditionIsTested(conditions: [EntrySelection.Condition]) {
        let selection = EntrySelection(conditions)
        let record = PurgeRecord(selection: selection, mode: .hard, at: noon, node: "a", isUnderstood: true)
        let history = history([(10, record)])
        let chosen = answer("/v1/a", variant: "en", resources: [3, 7])
        #expect(history.fate(of: chosen, fence: fence(9)) == .gone)
        let other = answer("/v2/b", storefront: "gb", classTag: 2, resources: [8])
        #expect(history.fate(of: other, fence: fence(9)) == (conditions.isEmpty ? .gone : .untouched))
    }

    @Test func whatMayNameAnyResourceIsTestedAgainstAll() {
        let history = history([(10, purge(.resource(7))), (11, purge(.resource(8), mode: .soft))])
        let any = answer("/a", resources: [StoredResponse.everyResource])
        #expect(history.fate(of: any, fence: fence(9)) == .gone)
        #expect(history.fate(of: any, fence: fence(10)) == .stale(asOf: noon))
    }

    @Test func aSoftPurgeTakesTheFreshnessAsOfItsTime() {
        let history = history([
            (10, purge(target("/a"), mode: .soft, at: noon + 50)), (11, purge(mode: .soft, at: noon + 70)),
            (12, purge(target("/b"), mode: .hard)),
        ])
        #expect(history.fate(of: answer("/a"), fence: fence(9)) == .stale(asOf: noon + 50))
        #expect(history.fate(of: answer("/a"), fence: fence(10)) == .stale(asOf: noon + 70))
        #expect(history.fate(of: answer("/b"), fence: fence(9)) == .gone, "a hard one counts more")
        #expect(history.fate(of: answer("/c"), fence: fence(11)) == .untouched)
    }

    @Test func aSignpostIsNeverSoftened() {
        let history = history([(10, purge(mode: .soft)), (20, purge(target("/a")))])
        let signpost = answer("/a", selecting: "0123456789abcdef accept-language")
        #expect(history.fate(of: signpost, fence: fence(5)) == .gone)
        #expect(history.fate(of: answer("/b", selecting: "0123456789abcdef foo"), fence: fence(5)) == .untouched)
    }

    @Test func whatIsOfAnotherEpochIsGone() {
        let history = history([])
        #expect(history.fate(of: answer("/a"), fence: fence(0)) == .untouched)
        let other = LogMark(LogEpoch(number: 1), LogPosition(.max, 0))
        #expect(history.fate(of: answer("/a"), fence: other) == .gone)
    }

    @Test func whatTheLogHasForgottenPurgedEverything() {
        let history = PurgeHistory(epoch, forgottenUntil: LogPosition(100, 0))
        #expect(history.fate(of: answer("/a"), fence: fence(99)) == .gone)
        #expect(history.fate(of: answer("/a"), fence: fence(100)) == .untouched)
    }

    @Test func whatIsForgottenHerePurgedEverything() {
        var history = history([])
        for number in 1...100 as ClosedRange<UInt64> {
            history.note(purge(target("/\(number)")), at: LogPosition(number, 0))
        }
        #expect(history.count == 100 && history.forgottenUntil == .start)
        #expect(history.fate(of: answer("/1"), fence: fence(0)) == .gone)
        #expect(history.fate(of: answer("/x"), fence: fence(0)) == .untouched)
        history.note(purge(target("/101")), at: LogPosition(101, 0))
        #expect(history.count == 51 && history.forgottenUntil == LogPosition(50, 0))
        #expect(history.fate(of: answer("/x"), fence: fence(49)) == .gone)
        #expect(history.fate(of: answer("/x"), fence: fence(50)) == .untouched)
        #expect(history.fate(of: answer("/51"), fence: fence(50)) == .gone)
        #expect(PurgeHistory.mostPurges == 65_536)
    }

    @Test func whatIsKnownIsNotNotedAgain() {
        var history = history([(10, purge(target("/a"))), (20, purge(target("/b")))])
        history.note(purge(), at: LogPosition(10, 0))
        history.note(purge(), at: LogPosition(20, 0))
        #expect(history.count == 2 && history.fate(of: answer("/c"), fence: fence(0)) == .untouched)
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
        var history = PurgeHistory(epoch, most: 64)
        var all: [(LogPosition, PurgeRecord)] = []
        for step in 0..<400 {
            let position = LogPosition(UInt64(step / 3), UInt64(step % 3 + 1))
            let conditions = (0..<Int.random(in: 1...3, using: &generator)).map { _ in condition() }
            let record = PurgeRecord(
                selection: EntrySelection(conditions), mode: Bool.random(using: &generator) ? .hard : .soft,
                at: noon + Int64(number()), node: "a", isUnderstood: true)
            history.note(record, at: position)
            all.append((position, record))
            let namesAny = number() == 0
            let stored = answer(
                "/\(number())", storefront: "\(number())", classTag: UInt8(number()),
                resources: namesAny ? [StoredResponse.everyResource] : [UInt64(number())])
            let fence = LogMark(epoch, all[max(0, step - Int.random(in: 0..<60, using: &generator))].0)
            let hits = all.filter { $0.0 > fence.position && $0.1.selection.matches(stored) }.map(\.1)
            var expected = PurgeHistory.Fate.untouched
            if let first = hits.map(\.at).min() { expected = .stale(asOf: first) }
            if hits.contains(where: { $0.mode == .hard }) || fence.position < history.forgottenUntil {
                expected = .gone
            }
            #expect(history.fate(of: stored, fence: fence) == expected, "seed \(seed), step \(step)")
        }
    }
}
