import Synchronization
import TestSupport
import Testing

@testable import Cache
@testable import Store

private final class FoundFloors: Sendable {
    let floors = Mutex<[UInt64: Int64]>([:])
}

/// Floors: up to when answers that show a number are outdated.
@Suite struct FloorTableTests {
    private func floor(_ time: Int64, _ newest: UInt64? = nil) -> FloorTable.Floor { .init(time: time, newest: newest) }

    @Test func ofOneSecondTheNewestAloneCounts() {
        let floor = floor(10, 7)
        #expect(floor.outdates(9, 7) && floor.outdates(10, 8) && floor.outdates(10, nil))
        #expect(!floor.outdates(10, 7) && !floor.outdates(11, 8))
        #expect(self.floor(10).outdates(10, 7))
    }

    @Test func aFloorIsRaisedAndLoweredByTheClockAlone() {
        var table = FloorTable(maxBytes: 10 * FloorTable.bytesPerFloor)
        let raised = [floor(10, 7), floor(10, 8), floor(11), floor(10, 9), floor(11)].map { table.raise(1, to: $0) }
        #expect(raised == [true, true, true, false, false] && table[1] == floor(11))
        table.raise(2, to: floor(10, 7))
        table.raise(2, to: floor(10, 8), isLatest: false)
        #expect(table[2] == floor(10, 7), "an earlier one of that second")
        table.cap(at: 5)
        #expect(table[1] == floor(4), "what comes in that second counts")
    }

    @Test func allFloorsOfOneTimeWentAtOnce() {
        var table = FloorTable(maxBytes: 10 * FloorTable.bytesPerFloor)
        for number in 0..<11 { table.raise(UInt64(number), to: floor(5)) }
        #expect(table.count == 6 && table[10] == floor(5))
    }

    @Test func thoseOfTheLongestAgoGiveWay() {
        var table = FloorTable(maxBytes: 10 * FloorTable.bytesPerFloor)
        for number in 0..<100 { table.raise(UInt64(number), to: floor(Int64(number))) }
        #expect(table.count <= 10 && table[99] == floor(99) && table[0] == nil)
        var none = FloorTable(maxBytes: 0)
        none.raise(1, to: floor(1))
        #expect(none.count == 0)
    }

    @Test func anIndexSaysWhichSourcesAreOutdated() {
        let index = ResourceIndex(maxBytes: 1 << 20)
        let keys = ["/a", "/b"].map { key($0) }
        for (place, key) in keys.enumerated() {
            index.add(key, at: Int64(5 + place), [.init(7, place: UInt32(place), content: 0)])
        }
        #expect(!index.hasFloors && index.sources(of: 7).map(\.isOutdated) == [false, false])
        #expect(index.raiseFloor(of: 7, to: 6, by: keys[1]))
        #expect(index.sources(of: 7).map(\.isOutdated) == [false, true])
        #expect(index.isOutdated(7, at: 5, in: keys[0]) && !index.isOutdated(8, at: 5, in: keys[0]))
        #expect(index.byteCount <= 1 << 20)
    }

    // MARK: In the file

    private let scratch = Scratch()

    private func floors(
        _ store: FileTier, of origin: OriginTag = .none, at now: Int64 = noon
    ) async -> [UInt64: Int64] {
        await withCheckedContinuation { continuation in
            let found = FoundFloors()
            store.visitFloors(of: origin, at: now) { number, time in found.floors.withLock { $0[number] = time } }
            store.visit({ _ in true }) { _ in continuation.resume(returning: found.floors.withLock { $0 }) }
        }
    }

    @Test func floorsAreKnownAfterARestart() async throws {
        var store = scratch.open()
        store.storeFloor(of: 7, from: .none, at: noon - 20)
        store.storeFloor(of: .max, from: .none, at: noon - 10)
        store.storeFloor(of: 7, from: .none, at: noon - 5)
        store.close()
        store = scratch.open()
        #expect(await floors(store) == [7: noon - 5, .max: noon - 10])
        #expect(await floors(store, at: noon - 40) == [7: noon - 5, .max: noon - 10], "the clock is being adjusted")
        #expect(await floors(store, at: noon - 100) == [7: noon - 100, .max: noon - 100], "the clock was ahead")
        store.close()
    }

    @Test func floorsAreOfOneOrigin() async throws {
        let (one, two) = (Origin(isTLS: true, host: "one", port: 443), Origin(isTLS: true, host: "two", port: 443))
        let store = scratch.open(of: one)
        store.storeFloor(of: 7, from: one.tag, at: noon - 20)
        store.storeFloor(of: 7, from: two.tag, at: noon - 10)
        store.flush()
        #expect(await floors(store, of: one.tag) == [7: noon - 20])
        #expect(await floors(store, of: two.tag) == [7: noon - 10])
        store.close()
    }
}
