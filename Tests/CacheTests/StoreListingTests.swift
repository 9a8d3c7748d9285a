import Purging
import Testing

@testable import Freshness
@testable import Store

@Suite struct StoreListingTests {
    private let scratch = Scratch()

    private func targets(_ entries: [ListedRecord]) -> Set<String> { Set(entries.map(\.path)) }

    /// Purged answers were listed as before the purge, while no client got them.
    @Test func answersThatAPurgeChoseAreShownAsItLeavesThem() {
        let (store, reader) = scratch.openWithReader()
        for number in 0..<30 {
            store.store(response("/\(number)", lifetime: Lifetime(freshFor: 900, staleFor: 60), resources: [7]))
        }
        store.flush()
        func owe(_ mode: PurgeMode, _ condition: EntrySelection.Condition) -> Int {
            store.shared.owed.add(Purge(selection: EntrySelection([condition]), mode: mode, now: noon + 10))
        }
        var owed = [owe(.hard, .prefix("/1")), owe(.soft, .prefix("/2"))]
        let listed = store.list(EntrySelection(), limit: 100)
        #expect(listed.count == 19 && !targets(listed).contains { $0.hasPrefix("/1") })
        for entry in listed {
            let found = reader.lookup(key(entry.path), at: noon)
            #expect(found?.lifetime == Lifetime(entry.facts.times), "\(entry.path)")
            #expect((entry.facts.times.freshFor == 0) == entry.path.hasPrefix("/2"))
        }
        #expect(store.list(EntrySelection(), limit: 15).count == 15, "others take their places")
        owed.append(owe(.hard, .resource(7)))
        #expect(store.list(EntrySelection(), limit: 100).isEmpty)
        for id in owed { store.shared.owed.remove(id) }
        #expect(store.list(EntrySelection(), limit: 100).count == 30)
    }

    @Test func theFirstOfAnOrderAreTheFirstOfAll() {
        let store = scratch.open()
        for number in 0..<100 {
            let rank = number * 37 % 100
            store.store(response("/\(100 + number)", String(repeating: " ", count: rank * 10), at: noon - Int64(rank)))
        }
        store.flush()
        let ranked = (0..<100).sorted { $0 * 37 % 100 > $1 * 37 % 100 }.map { "/\(100 + $0)" }
        for limit in [1, 7, 100] {
            #expect(store.list(limit: limit, in: .size).map(\.path) == Array(ranked.prefix(limit)))
            #expect(store.list(limit: limit, in: .age).map(\.path) == Array(ranked.prefix(limit)))
        }
    }
}
