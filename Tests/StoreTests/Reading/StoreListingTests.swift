import Testing

@testable import Purging
@testable import Store

@Suite(.timeLimit(.minutes(10))) struct StoreListingTests {
    private let scratch = Scratch()

    private func targets(_ entries: [ListedRecord]) -> Set<String> { Set(entries.map(\.path)) }

    /// Purged answers were listed as before the purge, while no client got them.
    @Test func answersThatAPurgeChoseAreShownAsItLeavesThem() {
        let store = scratch.open(now: { noon })
        let reader = store.makeReader()
        for number in 0..<30 {
            store.store(record("/\(number)", times: RecordFacts.Times(freshFor: 900, staleFor: 60), resources: [7]))
        }
        store.flush()
        // The file has not had them yet.
        store.purges.note(EntrySelection([.prefix("/1")]), .hard)
        store.purges.note(EntrySelection([.prefix("/2")]), .soft)
        let listed = store.list(EntrySelection(), limit: 100)
        #expect(listed.count == 19 && !targets(listed).contains { $0.hasPrefix("/1") })
        for entry in listed {
            #expect(reader.find(entry.path)?.facts.times == entry.facts.times, "\(entry.path)")
            #expect((entry.facts.times.freshFor == 0) == entry.path.hasPrefix("/2"))
        }
        #expect(store.list(EntrySelection(), limit: 15).count == 15, "others take their places")
        store.purges.note(EntrySelection([.resource(7)]), .hard)
        #expect(store.list(EntrySelection(), limit: 100).isEmpty)
        store.purges.noteSwept(store.purges.newest)
        #expect(store.list(EntrySelection(), limit: 100).count == 30)
    }

    @Test func theFirstOfAnOrderAreTheFirstOfAll() {
        let store = scratch.open()
        for number in 0..<100 {
            let rank = number * 37 % 100
            store.store(record("/\(100 + number)", String(repeating: " ", count: rank * 10), at: noon - Int64(rank)))
        }
        store.flush()
        let ranked = (0..<100).sorted { $0 * 37 % 100 > $1 * 37 % 100 }.map { "/\(100 + $0)" }
        for limit in [1, 7, 100] {
            #expect(store.list(limit: limit, in: .size).map(\.path) == Array(ranked.prefix(limit)))
            #expect(store.list(limit: limit, in: .age).map(\.path) == Array(ranked.prefix(limit)))
        }
    }
}
