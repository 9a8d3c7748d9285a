import AppleMusic
import Testing

@testable import Compose

@Suite struct ResourceSizesTests {
    private static let room = 4 << 20
    private let own = Self.shape([])
    private let larger = Self.shape(["artists"])

    private static func shape(_ include: [String]) -> RequestShape {
        RequestShape(subject: .item, type: .albums, include: include.map { Array($0.utf8) }, decoration: [])
    }

    private func sizes(_ own: Int, _ larger: Int) -> ResourceSizes {
        var sizes = ResourceSizes(room: Self.room)
        sizes.note(self.own, own)
        sizes.note(self.larger, larger)
        return sizes
    }

    private func allows(_ sizes: ResourceSizes, count: Int = 1) -> Bool {
        sizes.allow(larger, inPlaceOf: own, count: count)
    }

    @Test func theBoundIsAtItsLimit() {
        let most = ResourceSizes.mostFurther
        #expect(allows(sizes(1_000, 1_000 + most)))
        #expect(!allows(sizes(1_000, 1_001 + most)))
        var first = ResourceSizes(room: Self.room)
        #expect(allows(first), "no answer with the larger selection came yet")
        first.note(larger, ResourceSizes.mostFurther + 1)
        #expect(!allows(first))
    }

    @Test func twiceTheSizeOfSeveralIsAllowed() {
        let further = ResourceSizes.mostFurther / 50
        #expect(allows(sizes(100, 100 + further), count: 50))
        #expect(!allows(sizes(100, 102 + further), count: 50))
        let own = ResourceSizes.mostFurther + 10
        #expect(allows(sizes(own, 2 * own)))
        #expect(!allows(sizes(own, 2 * own + 1)))
        #expect(allows(sizes(2_000, 4_000), count: 50))
        #expect(!allows(sizes(2_000, 4_001), count: 50))
    }

    /// Eighty albums of 200 KB were joined into one list again and again, whose answer was thrown
    /// away each time.
    @Test func asManyAreAskedForAsFit() {
        var sizes = ResourceSizes(room: 1_000)
        #expect(sizes.most(own) == nil)
        sizes.note(own, 100)
        #expect(sizes.most(own) == 10 && sizes.most(own.asked(as: .batch)) == 10)
        #expect(sizes.most(larger) == nil)
        sizes.note(own.asked(as: .batch), 300)
        #expect(sizes.most(own) == 5, "single answers and lists show the same resources")
        sizes.note(own, 100_000)
        #expect(sizes.most(own) == 1, "at least one")
        for _ in 0..<200 { sizes.note(own, 50) }
        #expect(sizes.most(own) ?? 0 > 14, "they have become small again")
        var empty = ResourceSizes(room: 1_000)
        empty.note(own, 0)
        #expect(empty.most(own) == 1_000)
    }

    /// Before any answer showed a size, and where sizes differ widely.
    @Test func anAnswerThatWasTooLargeHalvesTheNext() {
        var sizes = ResourceSizes(room: 1_000)
        for count in [100, 50, 25] {
            sizes.note(tooLarge: own.asked(as: .batch), count: count)
            #expect(sizes.most(own) == count / 2)
        }
        sizes.note(tooLarge: own, count: 100)
        #expect(sizes.most(own) == 12, "it is known better")
        // The first answers show that the list was an exception.
        for _ in 0..<8 { sizes.note(own, 10) }
        #expect(sizes.most(own) ?? 0 >= 50)
    }

    @Test func aLargerShapeFitsIntoAnAnswer() {
        var sizes = ResourceSizes(room: 100_000)
        sizes.note(own, 1_500)
        sizes.note(larger, 2_000)
        #expect(sizes.allow(larger, inPlaceOf: own, count: 50))
        #expect(!sizes.allow(larger, inPlaceOf: own, count: 51))
        sizes.note(own, 400_000)
        #expect(sizes.allow(larger, inPlaceOf: own, count: 1), "one alone is asked for anyway")
    }

    @Test func theLatestAnswersAndShapesCount() {
        var sizes = sizes(0, 10 * ResourceSizes.mostFurther)
        for _ in 0..<100 { sizes.note(larger, ResourceSizes.mostFurther / 2) }
        #expect(allows(sizes))
        // Clients make shapes up.
        var madeUp = self.sizes(0, 10 * ResourceSizes.mostFurther)
        for number in 0..<64 { madeUp.note(Self.shape(["made-up-\(number)"]), 1) }
        #expect(allows(madeUp))
    }
}
