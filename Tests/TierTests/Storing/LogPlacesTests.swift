import Cache
import Store
import TestSupport
import Testing

@testable import Purging
@testable import Tier

@Suite struct LogPlacesTests {
    private func target(_ text: String) -> EntrySelection.Condition { .target(Array(text.utf8)) }

    private func places(_ numbers: [(position: UInt64, number: Int64)], most: Int = 100) -> LogPlaces {
        var places = LogPlaces(epoch, most: most)
        for (position, number) in numbers { places.note(LogPosition(position, 0), as: number) }
        return places
    }

    private func born(_ position: UInt64, _ places: LogPlaces) -> Int64? {
        places.born(at: logMark(position), newest: 50)
    }

    @Test func aValueIsOlderThanThePurgesBeyondItsLogMark() {
        let places = places([(10, 3), (20, 7), (30, 8)])
        #expect([0, 9, 10, 19, 20, 29, 30, 31].map { born($0, places) } == [2, 2, 6, 6, 7, 7, 50, 50])
        #expect(places.born(at: logMark(9, .max), newest: 50) == 2)
        #expect(places.born(at: LogMark(LogEpoch(number: 1), LogPosition(.max, 0)), newest: 50) == nil)
        #expect(born(0, self.places([])) == 50, "the log is empty, and this node has purged before")
    }

    /// Target 1, target 2, target 1 again: the first has the number of the last, as both are one.
    @Test func aLowerNumberCountsForEarlierPlaces() {
        let places = places([(10, 3), (20, 2), (30, 3)])
        #expect([0, 10, 20, 30].map { born($0, places) } == [1, 1, 2, 50])
        #expect(places.count == 2)
    }

    @Test func trimmedPlacesCountAndKnownOnesCountOnce() {
        let trimmed = LogPlaces(epoch, forgottenUntil: LogPosition(100, 0))
        #expect(born(99, trimmed) == nil && born(100, trimmed) == 50)
        var known = places([(10, 3), (20, 7)])
        known.note(LogPosition(10, 0), as: 1)
        known.note(LogPosition(20, 0), as: 1)
        #expect(known.count == 2 && born(0, known) == 2)
    }

    @Test func theyAreBounded() {
        var places = self.places((1...100).map { (UInt64($0), Int64($0)) })
        #expect(places.count == 100 && places.forgottenUntil == .start && born(0, places) == 0)
        places.note(LogPosition(101, 0), as: 101)
        #expect(places.count == 51 && places.forgottenUntil == LogPosition(50, 0))
        #expect(born(49, places) == nil && born(50, places) == 50)
        #expect(LogPlaces.mostBytes == 6 << 20)
    }

    /// As a test of every purge, one by one: of values, of what may be made of them, and of both in
    /// the next life of the node, which reads the log anew.
    @Test(arguments: Array(1...TestSize.of(3, full: 20, release: 100)) as [UInt64])
    func noPurgeIsOverlookedAndNoneCountsTwice(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let (purges, knowledge) = (Purges(), PurgeKnowledge())
        knowledge.begin(epoch, forgottenUntil: .start, in: purges)
        var all: [PurgeLogEntry] = []
        for step in 0..<400 {
            let entry = PurgeLogEntry(LogPosition(UInt64(step / 3), UInt64(step % 3 + 1)), drawn(&generator))
            knowledge.note(entry.position, as: purges.newest + 1)
            purges.note(entry.record.selection, entry.record.mode)
            knowledge.move(to: LogMark(epoch, entry.position), mayTake: true)
            all.append(entry)
            expect(knowledge, all, &generator, "seed \(seed), step \(step)")
            guard Int.random(in: 0..<40, using: &generator) == 0 else { continue }
            knowledge.begin(epoch, forgottenUntil: .start, in: purges)
            let newest = purges.newest
            for entry in all {
                let (selection, mode) = (entry.record.selection, entry.record.mode)
                knowledge.note(entry.position, as: purges.noteIfUnknown(selection, mode, among: 1..<(newest + 1)))
            }
            #expect(purges.newest == newest, "seed \(seed), step \(step): an old purge was done once more")
        }
    }

    private func expect(
        _ knowledge: PurgeKnowledge, _ all: [PurgeLogEntry], _ generator: inout SeededGenerator, _ place: String
    ) {
        func number() -> Int { Int.random(in: 0..<4, using: &generator) }
        let stored = answer(
            "/\(number())", storefront: "\(number())", classTag: UInt8(number()),
            resources: number() == 0 ? [StoredResponse.everyResource] : [UInt64(number())])
        let other = Array("/\(number())".utf8)
        let position = all[max(0, all.count - 1 - Int.random(in: 0..<60, using: &generator))].position
        let beyond = all.filter { $0.position > position }.map(\.record.selection)
        let value = TierValue(stored, logMark: LogMark(epoch, position))
        #expect(knowledge.isPurged(value) == beyond.contains { $0.chooses(stored) }, "\(place)")
        // A purge of a resource in any answer leaves no parts.
        let ofTarget = beyond.contains { selection in
            let isByResource = selection.conditions.contains { if case .resource = $0 { true } else { false } }
            return !(isByResource && selection.leavesNoParts)
                && selection.chooses(other, storefront: stored.storefront, classTag: 1)
        }
        let isPurged = knowledge.isPurged(other, storefront: stored.storefront, classTag: 1, since: value.logMark)
        #expect(isPurged == ofTarget, "\(place)")
    }

    private func drawn(_ generator: inout SeededGenerator) -> PurgeRecord {
        func number() -> Int { Int.random(in: 0..<4, using: &generator) }
        func condition() -> EntrySelection.Condition {
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: target("/\(number())")
            case 1: .prefix(Array("/\(number())".utf8.prefix(number())))
            case 2: .storefront(Array("\(number())".utf8))
            case 3: .classTag(UInt8(number()))
            default: .resource(UInt64(number()))
            }
        }
        let count = Int.random(in: 0..<40, using: &generator) == 0 ? 0 : Int.random(in: 1...3, using: &generator)
        return PurgeRecord(
            selection: EntrySelection((0..<count).map { _ in condition() }),
            mode: Bool.random(using: &generator) ? .hard : .soft, at: noon + Int64(number()), node: "a")
    }
}
