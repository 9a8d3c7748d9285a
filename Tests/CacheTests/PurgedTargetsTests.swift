import Purging
import Testing

@testable import Cache
@testable import Store

@Suite struct PurgedTargetsTests {
    private let purged = PurgedTargets()

    private func purge(_ conditions: [EntrySelection.Condition], _ mode: PurgeMode = .hard, at now: Int64) -> Purge {
        Purge(selection: EntrySelection(conditions), mode: mode, now: now)
    }

    private func last(_ purged: PurgedTargets, _ target: String, _ storefront: String = "us", _ tag: UInt8 = 1) -> Int64
    {
        purged.lastPurge(of: Array(target.utf8), storefront: Array(storefront.utf8), classTag: tag)
    }

    @Test func theLatestPurgeOfATargetCountsForNoOther() {
        #expect(last(purged, "/a") == .min)
        purged.note(purge([.target("/a")], at: 10))
        purged.note(purge([.target("/a")], .soft, at: 20))
        purged.note(purge([.target("/a")], .dryRun, at: 30))
        #expect(last(purged, "/a") == 20 && last(purged, "/ab") == .min)
        // An album that the purge did not choose showed the song as it was.
        purged.note(purge([.prefix("/songs"), .resource(1)], at: 10))
        #expect(last(purged, "/songs/1") == 10 && last(purged, "/albums/1") == .min)
    }

    @Test(arguments: [
        (EntrySelection.Condition.prefix("/a"), "/ab", "us", 1 as UInt8, true),
        (.prefix("/a"), "/b", "us", 1, false), (.storefront("us"), "/b", "us", 1, true),
        (.storefront("us"), "/b", "jp", 1, false), (.classTag(1), "/b", "jp", 1, true),
        (.classTag(1), "/b", "jp", 2, false), (.resource(1), "/b", "jp", 2, false),
    ])
    func aPurgeCountsForWhatItWouldHaveChosen(
        condition: EntrySelection.Condition, target: String, storefront: String, tag: UInt8, counts: Bool
    ) {
        purged.note(purge([condition], at: 10))
        #expect(last(purged, target, storefront, tag) == (counts ? 10 : .min))
        let narrowed = PurgedTargets()
        narrowed.note(purge([condition, .prefix("/none")], at: 10))
        #expect(last(narrowed, target, storefront, tag) == .min)
    }

    /// Marks are noted again whenever the file is opened: they pushed out others.
    @Test func aMarkThatIsKnownIsNotedOnce() throws {
        func selection(_ number: Int) -> [EntrySelection.Condition] { [.prefix("/\(number)/")] }
        for number in 0..<200 { purged.note(purge(selection(number), at: Int64(number) + 1_000)) }
        for number in 0..<200 {
            let written = purged.marks(of: purge(selection(number), at: Int64(number)))
            for mark in written { if case .time(let time) = mark.value { purged.note(mark.key, at: time) } }
        }
        #expect(last(purged, "/0/a") == 1_000 && last(purged, "/199/a") == 1_199)
        #expect(purged.forgottenUntil == .min && last(purged, "/other") == .min)
    }

    /// A forgotten purge may have been of any target.
    @Test func forgottenPurgesCountForAllTargetsLatestOnesLast() {
        for number in 0..<20_000 { purged.note(purge([.target("/\(number)")], at: Int64(number))) }
        #expect(last(purged, "/19999") == 19_999)
        let floor = last(purged, "/other")
        #expect(floor > 0 && floor < 19_999 && last(purged, "/0") == floor)
        let wide = PurgedTargets()
        for number in 0..<300 { wide.note(purge([.prefix("/\(number)/")], at: Int64(number))) }
        #expect(last(wide, "/299/a") == 299 && last(wide, "/other") == 43)
        // It went by its first purge, and took all that is older than its last along.
        let again = PurgedTargets()
        for number in 0..<16_384 { again.note(purge([.target("/\(number)")], at: Int64(number))) }
        again.note(purge([.target("/0")], at: 20_000))
        again.note(purge([.target("/new")], at: 20_001))
        #expect(last(again, "/0") == 20_000 && last(again, "/other") < 10_000)
    }

    /// Once a slow clock was right, answers were composed of parts from before the purge.
    @Test func aPurgeByASlowClockCountsFromTheCorrection() {
        #expect(purged.heed(clock: noon) == nil, "nothing was purged")
        purged.note(Purge(selection: EntrySelection([.target("/a")]), mode: .hard, now: noon - 86_400))
        #expect(purged.heed(clock: noon - 86_400) == nil && last(purged, "/a") == noon - 86_400)
        let mark = purged.heed(clock: noon)
        #expect(mark?.key == [] && last(purged, "/a") == noon && last(purged, "/b") == noon)
        #expect(purged.heed(clock: noon + 1) == nil)
        // And back: a purge of the future counts as of now.
        #expect(purged.heed(clock: noon - 86_400) == nil && purged.cap(at: noon - 86_400) == 1)
        // Purges from the file counted as of the start, so answers were composed of older parts.
        let started = PurgedTargets()
        started.note(Array("/a".utf8), at: noon)
        #expect(started.cap(at: noon - 86_400) == 1 && last(started, "/a") == noon - 86_400)
        let written = started.heed(clock: noon + 5)
        #expect(written?.value == .time(noon + 5) && last(started, "/a") == noon + 5)
    }
}
