import AppleMusic
import Testing

@testable import Compose

@Suite struct ListSizeTests {
    @Test func wholeListsFitWhereLongerOnesWereSeenWhole() {
        let size = ListSize()
        #expect(!size.holdsWhole(0) && !size.holds(25, next: 25) && size.limit == nil && size.cut == .unknown)
        var seen = ListSize()
        _ = seen.noteWhole(7)
        #expect(seen.holdsWhole(7) && seen.holdsWhole(0) && !seen.holdsWhole(8))
        // A list that goes on nowhere is no list.
        var endless = ListSize()
        #expect(endless.note(25, next: nil) == false)
        #expect(!endless.holds(25, next: nil))
    }

    /// Unavailable items are dropped after the cut: the offsets stay the same, the counts do not
    /// (APPLE-MUSIC-API 7.10).
    @Test func anOriginThatCutsFirst() {
        var size = ListSize()
        for count in [24, 25, 20] { #expect(size.note(count, next: 25) == true) }
        #expect(size.holds(22, next: 25) && !size.holds(25, next: 28))
        #expect(size.holdsWhole(24) && !size.holdsWhole(25))
        #expect(size.limit == 25 && size.cut == .first)
    }

    /// 25 items with `offset=28`: the page is filled up, so the counts stay the same.
    @Test func anOriginThatFillsUp() {
        var size = ListSize()
        for next in [28, 25] { #expect(size.note(25, next: next) == true) }
        #expect(size.holds(25, next: 31) && !size.holds(24, next: 25))
        #expect(size.holdsWhole(24) && !size.holdsWhole(25), "one of 25 items goes on")
        #expect(size.limit == 25 && size.cut == .filling)
        // 25 items with `offset=28` are no page of 28.
        var one = ListSize()
        _ = one.note(25, next: 28)
        #expect(one.limit == nil && one.cut == .unknown)
        _ = one.note(26, next: 28)
        #expect(one.limit == 28 && one.cut == .first)
    }

    @Test func aCountThatFitsNeitherWayIsAContradiction() {
        var size = ListSize()
        let (first, second) = (size.note(25, next: 25), size.note(20, next: 20))
        #expect(first && !second)
        #expect(!size.holds(25, next: 25) && !size.holds(20, next: 20))
    }
}
