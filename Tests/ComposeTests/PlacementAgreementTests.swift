import AppleMusic
import TestSupport
import Testing

@testable import Compose

@Suite struct PlacementAgreementTests {
    private static let names: [UInt64] = [1, 2, 3]

    /// Names 1, 2 and 3 were seen in these placements.
    private func agreement(
        _ demand: PlacementDemand = PlacementDemand(resources: 4, usesOfOne: 8), named: [Placement] = Placement.allCases
    ) -> PlacementAgreement {
        var agreement = PlacementAgreement(demand)
        for placement in named { agreement.learn(7, Self.names, in: placement) }
        return agreement
    }

    private func note(
        _ agreement: inout PlacementAgreement, _ one: Placement, _ other: Placement, _ numbers: Range<UInt64>
    ) {
        for number in numbers { agreement.note(PlacementPair(one, other), number, isSame: true) }
    }

    private func crossing(_ one: Placement, _ other: Placement, _ count: Int) -> PlacementCrossing {
        var crossing = PlacementCrossing(.songs)
        for _ in 0..<count { crossing.note(PlacementPair(one, other)) }
        return crossing
    }

    /// One song that looked the same decided for all songs.
    @Test func severalResourcesShowThatPlacementsAgree() {
        var agreement = agreement()
        #expect(!agreement.holds(.item, in: .batched) && agreement.holds(.item, in: .item))
        note(&agreement, .item, .batched, 0..<3)
        for _ in 0..<9 { note(&agreement, .batched, .item, 0..<1) }
        #expect(!agreement.holds(.item, in: .batched) && agreement.isLearning(.item, .batched), "one of them again")
        note(&agreement, .item, .batched, 3..<4)
        #expect(agreement.holds(.item, in: .batched) && agreement.holds(.batched, in: .item))
        #expect(!agreement.holds(.item, in: .included) && !agreement.isLearning(.item, .batched))
        note(&agreement, .batched, .included, 0..<4)
        #expect(agreement.holds(.item, in: .included), "by way of a third")
    }

    @Test func moreResourcesAreNeededAsMoreHangsOnThem() {
        var agreement = agreement()
        note(&agreement, .item, .included, 0..<4)
        agreement.noteUses(crossing(.included, .item, 39))
        #expect(agreement.holds(.included, in: .item))
        agreement.noteUses(crossing(.included, .item, 1))
        #expect(!agreement.holds(.included, in: .item) && agreement.isLearning(.included, .item))
        note(&agreement, .item, .included, 4..<5)
        #expect(agreement.holds(.included, in: .item))
        // Each of very many counts again.
        agreement.noteUses(crossing(.included, .item, 10_000))
        note(&agreement, .item, .included, 5..<100)
        #expect(!agreement.holds(.included, in: .item))
        for round in 0..<60 as Range<UInt64> {
            note(&agreement, .item, .included, round % 2 * 32..<round % 2 * 32 + 32)
        }
        #expect(agreement.holds(.included, in: .item))
    }

    @Test func aNameThatOnlyTheWantedPlacementShowsEndsIt() {
        var agreement = agreement(named: [.item, .included])
        note(&agreement, .item, .included, 0..<9)
        #expect(agreement.holds(.included, in: .item, 7) && agreement.holds(.item, in: .included, 7))
        agreement.learn(8, [1, 2, 3, 4], in: .item)
        #expect(!agreement.holds(.included, in: .item, 7), "name 4 may be missing")
        #expect(agreement.holds(.item, in: .included, 7) && !agreement.holds(.item, in: .included, 8))
        agreement.learn(9, [4], in: .included)
        #expect(agreement.holds(.included, in: .item, 7) && agreement.holds(.item, in: .included, 8))
        #expect(!agreement.holds(.item, in: .included, 99), "a combination that is not known")
    }

    @Test func moreNamesThanAreKeptEndIt() {
        var agreement = agreement(named: [.item, .included])
        note(&agreement, .item, .included, 0..<9)
        agreement.learn(8, Array(0..<UInt64(AttributeNames.most)), in: .included)
        #expect(!agreement.names.areTooMany && agreement.holds(.included, in: .item, 7))
        agreement.learn(9, [1_000, 1_001, 1_002], in: .item)
        #expect(agreement.names.areTooMany && !agreement.holds(.included, in: .item, 7))
        #expect(agreement.note(99, in: .item) == true, "nothing more is learnt")
    }

    @Test func oneContradictionEndsItForAsLongAsItsAnswersLast() {
        var agreement = agreement()
        for (one, other) in [(.item, .listed), (.found, .item), (.found, .listed)] as [(Placement, Placement)] {
            note(&agreement, one, other, 0..<9)
        }
        #expect(agreement.refute(PlacementPair(.listed, .item), until: 100) == true, "it was relied on")
        #expect(!agreement.holds(.item, in: .listed) && agreement.isRefuted(.item, .listed))
        #expect(!agreement.holds(.item, in: .found) && !agreement.holds(.found, in: .listed), "one of them is wrong")
        note(&agreement, .item, .listed, 0..<12)
        #expect(!agreement.holds(.item, in: .listed))
        agreement.endRests(at: 99)
        #expect(agreement.isRefuted(.item, .listed))
        agreement.endRests(at: 100)
        #expect(!agreement.isRefuted(.item, .listed) && !agreement.holds(.item, in: .listed))
        note(&agreement, .item, .listed, 0..<4)
        #expect(agreement.holds(.item, in: .listed))
        var ahead = self.agreement()
        #expect(ahead.refute(PlacementPair(.item, .listed), until: 1_000) == false)
        ahead.cap(at: 10)
        ahead.endRests(at: 10)
        #expect(!ahead.isRefuted(.item, .listed))
    }

    @Test func otherValuesCountAgainstIt() {
        var agreement = agreement()
        note(&agreement, .item, .included, 0..<9)
        agreement.note(PlacementPair(.item, .included), 50, isSame: false)
        #expect(agreement.holds(.included, in: .item), "the catalog may have changed")
        agreement.note(PlacementPair(.item, .included), 51, isSame: false)
        #expect(!agreement.holds(.included, in: .item) && !agreement.isRefuted(.item, .included))
        for _ in 0..<100 { agreement.note(PlacementPair(.item, .included), 51, isSame: false) }
        note(&agreement, .item, .included, 0..<60)
        #expect(!agreement.holds(.included, in: .item), "values differ by placement")
    }

    // MARK: Types and storefronts

    private func sight(_ verdicts: [PlacementComparison.Verdict], from number: Int = 0) -> PlacementSight {
        var sight = PlacementSight()
        sight.comparisons = verdicts.enumerated().map { index, verdict in
            PlacementComparison(
                type: .songs, one: .item, other: .included, number: UInt64(number + index), verdict: verdict)
        }
        return sight
    }

    @Test func evidenceIsOfOneStorefrontAndAContradictionOfAll() throws {
        var places = LearntPlaces(PlacementDemand(resources: 2, usesOfOne: 8))
        let storefronts = try ["us", "jp", "gb"].map { try #require(Storefront($0)) }
        func holds(_ storefront: Storefront, at now: Int64 = 0) -> Bool {
            places.agreement(.songs, in: storefront, at: now).holds(.included, in: .item)
        }
        _ = places.note(sight([.same, .same]), in: storefronts[0], at: 0, until: 50)
        #expect(holds(storefronts[0]) && !holds(storefronts[1]))
        _ = places.note(sight([.same, .same]), in: storefronts[1], at: 0, until: 50)
        #expect(holds(storefronts[1]))
        let first = places.note(sight([.different]), in: storefronts[1], at: 0, until: 50)
        #expect(first.isContradicted)
        #expect(!holds(storefronts[0]) && !holds(storefronts[1]))
        let second = places.note(sight([.different]), in: storefronts[1], at: 0, until: 50)
        #expect(!second.isContradicted, "told once")
        // Also where the storefront comes later.
        _ = places.note(sight([.same, .same]), in: storefronts[2], at: 0, until: 50)
        #expect(!holds(storefronts[2]) && !holds(storefronts[2], at: 50))
        _ = places.note(sight([.same, .same]), in: storefronts[2], at: 50, until: 90)
        #expect(holds(storefronts[2], at: 50))
    }

    @Test func thereIsRoomForSomeStorefronts() throws {
        var places = LearntPlaces(PlacementDemand(resources: 1, usesOfOne: 8))
        let letters = Array("abcdefghijklmnopqrstuvwxyz")
        for (index, name) in letters.flatMap({ one in letters.map { "\(one)\($0)" } }).enumerated() {
            let storefront = try #require(Storefront(name))
            _ = places.note(sight([.same]), in: storefront, at: 0, until: 50)
            let holds = places.agreement(.songs, in: storefront, at: 0).holds(.included, in: .item)
            #expect(holds == (index < LearntPlaces.mostAgreements), "\(name)")
        }
    }

    @Test func placesSurviveBeingPacked() {
        let kinds: [IndexedPlace.Kind] = Placement.allCases.map { .object($0) } + [.page, .inlinePage, .absence]
        for kind in kinds {
            for index in [0, 1, 4_095, 16_383] {
                for sum in [0, 1, 16_383] as [UInt32] {
                    let place = IndexedPlace(kind, index, relationSum: sum)
                    #expect(IndexedPlace(packed: place.packed) == place)
                }
            }
        }
    }
}
