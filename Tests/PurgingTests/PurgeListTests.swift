import TestSupport
import Testing

@testable import Purging

@Suite struct PurgeListTests {
    @Test(arguments: TestSize.of(1...16, full: 1...400) as ClosedRange<UInt64>)
    func theListAnswersAsOneThatForgetsNothing(seed: UInt64) throws {
        var run = PurgeListRun(seed: seed, maxBytes: [24_000, 48_000, 150_000, PurgeList.maxBytes][Int(seed % 4)])
        for _ in 0..<400 {
            try run.step()
            try run.check()
        }
        #expect(run.verdicts.allSatisfy { $0 > 50 }, "seed \(seed): \(run.verdicts)")
        #expect(
            seed % 4 > 1 || run.forgettings + run.widenings > 0,
            "seed \(seed): \(run.forgettings), \(run.widenings)")
    }

    private func last(_ list: PurgeList, _ target: String, _ storefront: String = "us", _ tag: UInt8 = 1) -> Int64 {
        list.lastPurge(of: Array(target.utf8), storefront: Array(storefront.utf8), classTag: tag)
    }

    @Test func theLatestPurgeOfATargetCountsForNoOther() {
        var list = PurgeList()
        #expect(last(list, "/a") == 0)
        #expect(list.note(EntrySelection([.target("/a")]), .hard).number == 1)
        #expect(list.note(EntrySelection([.target("/a")]), .soft).number == 2)
        #expect(last(list, "/a") == 2 && last(list, "/ab") == 0)
        // An album that the purge did not choose showed the song as it was.
        _ = list.note(EntrySelection([.prefix("/songs"), .resource(1)]), .soft)
        #expect(last(list, "/songs/1") == 3 && last(list, "/albums/1") == 0)
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
        for mode in [PurgeMode.soft, .hard] {
            var list = PurgeList()
            _ = list.note(EntrySelection([condition]), mode)
            #expect(last(list, target, storefront, tag) == (counts ? 1 : 0))
            var narrowed = PurgeList()
            _ = narrowed.note(EntrySelection([condition, .prefix("/none")]), mode)
            #expect(last(narrowed, target, storefront, tag) == 0)
        }
    }

    /// A forgotten purge may have been of anything.
    @Test func forgottenPurgesCountForAllLatestOnesLast() {
        var list = PurgeList()
        for number in 0..<40_000 { _ = list.note(EntrySelection([.target("/\(number)")]), .hard) }
        #expect(list.widenings == 1 && list.forgotten == 0, "none had had its turn")
        list = PurgeList()
        for number in 0..<40_000 {
            let entry = list.note(EntrySelection([.target("/\(number)")]), .hard)
            list.noteSwept(entry.number)
        }
        #expect(list.forgettings == 1 && list.widenings == 0)
        #expect(last(list, "/39999") == 40_000)
        let floor = last(list, "/other")
        #expect(10_000..<20_000 ~= floor && floor == list.forgotten && last(list, "/0") == floor)
    }

    /// Each question looks at all of these.
    @Test func ofPurgesThatNoIndexFindsThereAreFew() throws {
        var list = PurgeList()
        for number in 0..<10_000 {
            let pattern = try #require(PathPattern(Array("/v1/*/\(number)".utf8)))
            list.noteSwept(list.note(EntrySelection([.pattern(pattern)]), .hard).number)
        }
        #expect(1_000...2_048 ~= list.count)
    }

    @Test func aPurgeIsKnownByOneThatDoesAsMuch() {
        var list = PurgeList()
        let one = EntrySelection([.target("/a")])
        #expect(list.number(of: one, .soft) == nil)
        _ = list.note(one, .soft)
        #expect(list.number(of: one, .soft) == 1 && list.number(of: one, .hard) == nil)
        _ = list.note(one, .hard)
        #expect(list.number(of: one, .soft) == 2 && list.number(of: one, .hard) == 2)
        #expect(list.number(of: one, .hard, among: 3..<100) == nil)
        _ = list.note(EntrySelection(), .soft)
        #expect(list.number(of: one, .soft) == 3 && list.number(of: one, .hard) == 2)
        #expect(list.number(of: EntrySelection([.resource(1)]), .soft, among: 3..<100) == 3)
    }

    /// The file has each purge, and says it again whenever it is opened.
    @Test func aPurgeThatIsKnownIsNotedOnce() {
        var list = PurgeList()
        // The file of this process.
        _ = list.restore([], forgotten: 0, swept: 0)
        for number in 0..<200 { _ = list.note(EntrySelection([.prefix("/\(number)/")]), .hard) }
        let known = list.entries(since: 0)
        #expect(list.restore(known.reversed(), forgotten: 0, swept: 0).isEmpty)
        #expect(list.entries(since: 0) == known && list.newest == 200 && list.renumberings == 0)
        var next = PurgeList()
        #expect(next.restore(known.reversed(), forgotten: 0, swept: 100).isEmpty)
        #expect(next.entries(since: 0) == known && next.newest == 200 && next.swept == 100)
    }

    /// The numbers went back to that of an older purge: the next one counted as swept before it
    /// began, and what it had chosen came back.
    @Test func anOlderPurgeOfTheFileTookTheNumbersBack() {
        var list = PurgeList()
        let older = PurgeList.Entry(number: 3, selection: EntrySelection([.target("/a")]), mode: .hard)
        #expect(list.restore([older], forgotten: 0, swept: 9).isEmpty)
        #expect(list.newest == 9 && last(list, "/a") == 3)
        let next = list.note(EntrySelection([.target("/a")]), .soft)
        #expect(next.number == 10 && last(list, "/a") == 10)
        #expect(list.entries(since: list.swept) == [next])
    }

    /// They were made while no file could be read, and concern what it has.
    @Test func purgesThatAFileLacksGetNumbersAboveIts() {
        var list = PurgeList()
        _ = list.note(EntrySelection([.target("/a")]), .hard)
        let known = (1...5 as ClosedRange<Int64>).map {
            PurgeList.Entry(number: $0, selection: EntrySelection([.target("/\($0)")]), mode: .soft)
        }
        let lacking = list.restore(known, forgotten: 0, swept: 5)
        #expect(lacking == [PurgeList.Entry(number: 6, selection: EntrySelection([.target("/a")]), mode: .hard)])
        #expect(list.newest == 6 && list.swept == 5 && list.renumberings == 1)
        #expect(last(list, "/a") == 6 && last(list, "/3") == 3)
    }
}

extension EntrySelection.Condition {
    fileprivate static func target(_ text: String) -> Self { .target(Array(text.utf8)) }
    fileprivate static func prefix(_ text: String) -> Self { .prefix(Array(text.utf8)) }
    fileprivate static func storefront(_ text: String) -> Self { .storefront(Array(text.utf8)) }
}
