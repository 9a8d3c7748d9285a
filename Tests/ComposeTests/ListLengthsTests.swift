import Testing

@testable import Compose

@Suite struct ListLengthsTests {
    /// Lists that end at these places; those beyond a hundred go on at the hundredth.
    private func lengths(_ ends: [Int]) -> ListLengths {
        var lengths = ListLengths()
        for end in ends {
            if end > 100 { lengths.note(next: 100, from: 50) } else { lengths.note(end: end, from: 0) }
        }
        return lengths
    }

    @Test func whereListsEndOnItAPageSparesNothing() {
        #expect(!lengths([60, 80]).favourPage(from: 25, windows: 3))
        #expect(lengths([60, 80]).favourPage(from: 10, windows: 9), "more windows are worth more tries")
        #expect(!lengths([60, 80, 40, 35, 90]).favourPage(from: 10, windows: 9))
        #expect(lengths([]).favourPage(from: 25, windows: 3))
        // Pages that show neither say nothing.
        var neither = lengths([60, 80])
        neither.note(next: 50, from: 25)
        neither.note(next: 99, from: 0)
        #expect(!neither.favourPage(from: 25, windows: 3))
    }

    @Test func oneLongListInThreeIsEnoughForFourWindows() {
        #expect(lengths([60, 80, 150]).favourPage(from: 20, windows: 4))
        #expect(!lengths([60, 80, 40, 70, 150]).favourPage(from: 20, windows: 3))
        // A list of five items says nothing of one that goes on after the twentieth.
        #expect(lengths([5, 20, 20, 7, 150]).favourPage(from: 20, windows: 3))
    }

    @Test func eachHundredIsLookedAtForItself() {
        var lengths = ListLengths()
        lengths.note(end: 150, from: 120)
        lengths.note(end: 160, from: 100)
        #expect(!lengths.favourPage(from: 25, windows: 3), "of the second hundred it is the same")
        #expect(!lengths.favourPage(from: 125, windows: 3))
        #expect(lengths.favourPage(from: 170, windows: 3))
        var long = self.lengths([60])
        long.note(end: 120, from: 0)
        #expect(long.favourPage(from: 25, windows: 3))
        long = self.lengths([60])
        long.note(end: 100, from: 0)
        #expect(!long.favourPage(from: 25, windows: 3), "one of just a hundred ends on it")
    }

    @Test func oldListsAreForgotten() {
        var lengths = lengths(Array(repeating: 60, count: 200))
        for _ in 0..<64 { lengths.note(next: 100, from: 50) }
        #expect(lengths.favourPage(from: 25, windows: 3))
    }
}
