import AppleMusic
import Testing

@testable import Compose

@Suite struct ResourceSizesTests {
    private let own = Self.shape([])
    private let larger = Self.shape(["artists"])

    private static func shape(_ include: [String]) -> RequestShape {
        RequestShape(subject: .item, type: .albums, include: include.map { Array($0.utf8) }, decoration: [])
    }

    private func sizes(_ own: Int, _ larger: Int) -> ResourceSizes {
        var sizes = ResourceSizes()
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
        var first = ResourceSizes()
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
