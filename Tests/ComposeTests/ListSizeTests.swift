import AppleMusic
import Testing

@testable import Compose

@Suite struct ListSizeTests {
    @Test func nothingIsKnownAtFirst() {
        let size = ListSize()
        #expect(!size.holdsWhole(0) && !size.holds(25, next: 25) && size.limit == nil && size.cut == .unknown)
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
        #expect(size.limit == 25 && size.cut == .filling)
    }

    /// 25 items with `offset=28` are no page of 28.
    @Test func oneListWithGapsTellsNoLimit() {
        var size = ListSize()
        _ = size.note(25, next: 28)
        #expect(size.limit == nil && size.cut == .unknown)
        _ = size.note(26, next: 28)
        #expect(size.limit == 28 && size.cut == .first)
    }

    @Test func aCountThatFitsNeitherWayIsAContradiction() {
        var size = ListSize()
        let (first, second) = (size.note(25, next: 25), size.note(20, next: 20))
        #expect(first && !second)
        #expect(!size.holds(25, next: 25) && !size.holds(20, next: 20))
    }

    @Test func wholeListsFitWhereLongerOnesWereSeenWhole() {
        var size = ListSize()
        _ = size.noteWhole(7)
        #expect(size.holdsWhole(7) && size.holdsWhole(0) && !size.holdsWhole(8))
    }

    @Test func aListThatGoesOnNowhereIsNoList() {
        var size = ListSize()
        #expect(size.note(25, next: nil) == false)
        #expect(!size.holds(25, next: nil))
    }
}
