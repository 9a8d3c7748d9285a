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
        agreement.noteUses(crossing(.included, .item, 7))
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

    /// The whole count of an answer was noted for each pair in it.
    @Test func usesCountForTheirOwnPlacementsAlone() {
        var agreement = agreement()
        note(&agreement, .item, .included, 0..<4)
        note(&agreement, .item, .batched, 0..<4)
        var crossing = crossing(.included, .item, 1)
        for _ in 0..<8 { crossing.note(PlacementPair(.item, .batched)) }
        agreement.noteUses(crossing)
        #expect(agreement.pairs.map { Int($0.uses) }.filter { $0 > 0 }.sorted() == [1, 8])
        #expect(agreement.holds(.included, in: .item) && !agreement.holds(.item, in: .batched))
    }

    /// As many resources as suffice were remembered, and where clients asked for no others their
    /// agreement ended with its uses.
    @Test func asManyResourcesAsSufficeCountAgain() {
        let demand = PlacementDemand()
        var agreement = agreement(demand)
        let all = 0..<UInt64(demand.resources)
        note(&agreement, .item, .included, all)
        agreement.noteUses(crossing(.included, .item, demand.usesOfOne))
        #expect(!agreement.holds(.included, in: .item))
        note(&agreement, .item, .included, all)
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
        for number in 100..<200 as Range<UInt64> {
            agreement.note(PlacementPair(.item, .included), number, isSame: false)
        }
        note(&agreement, .item, .included, 0..<60)
        #expect(!agreement.holds(.included, in: .item), "values differ by placement")
    }

    /// One revised resource counted in each answer that showed it.
    @Test func aRevisedResourceCountsOnce() {
        var agreement = agreement()
        note(&agreement, .item, .included, 0..<9)
        for _ in 0..<9 { agreement.note(PlacementPair(.item, .included), 0, isSame: false) }
        #expect(agreement.holds(.included, in: .item))
    }

    /// Batches that could never answer were tried on.
    @Test func nothingMoreIsLearntWhereMostResourcesDiffer() {
        var agreement = agreement()
        #expect(agreement.isLearning(.batched, .item))
        agreement.note(PlacementPair(.batched, .item), 1, isSame: false)
        #expect(!agreement.isLearning(.batched, .item) && !agreement.isRefuted(.batched, .item))
        note(&agreement, .batched, .item, 2..<6)
        #expect(agreement.isLearning(.batched, .item))
    }

    // MARK: Types and storefronts

    private func observation(_ verdicts: [PlacementComparison.Verdict], from number: Int = 0) -> PlacementObservation {
        var observation = PlacementObservation()
        observation.comparisons = verdicts.enumerated().map { index, verdict in
            PlacementComparison(
                type: .songs, one: .item, other: .included, number: UInt64(number + index), verdict: verdict)
        }
        return observation
    }

    @Test func evidenceIsOfOneStorefrontAndAContradictionOfAll() throws {
        var places = LearntPlaces(PlacementDemand(resources: 2, usesOfOne: 8))
        let storefronts = try ["us", "jp", "gb"].map { try #require(Storefront($0)) }
        func holds(_ storefront: Storefront, at now: Int64 = 0) -> Bool {
            places.agreement(.songs, in: storefront, at: now).holds(.included, in: .item)
        }
        _ = places.note(observation([.same, .same]), in: storefronts[0], at: 0, until: 50)
        #expect(holds(storefronts[0]) && !holds(storefronts[1]))
        _ = places.note(observation([.same, .same]), in: storefronts[1], at: 0, until: 50)
        #expect(holds(storefronts[1]))
        let first = places.note(observation([.different]), in: storefronts[1], at: 0, until: 50)
        #expect(first.effect == .contradicted)
        #expect(!holds(storefronts[0]) && !holds(storefronts[1]))
        let second = places.note(observation([.different]), in: storefronts[1], at: 0, until: 50)
        #expect(second.effect == .nothing, "told once")
        // Also where the storefront comes later.
        _ = places.note(observation([.same, .same]), in: storefronts[2], at: 0, until: 50)
        #expect(!holds(storefronts[2]) && !holds(storefronts[2], at: 50))
        _ = places.note(observation([.same, .same]), in: storefronts[2], at: 50, until: 90)
        #expect(holds(storefronts[2], at: 50))
    }

    /// Composed answers that lacked an attribute stayed when a resource was seen to have it.
    @Test func otherAttributesEndWhatWasComposedWithoutThem() throws {
        var places = LearntPlaces(PlacementDemand(resources: 2, usesOfOne: 8))
        let us = try #require(Storefront("us"))
        _ = places.note(observation([.same, .same, .same, .same, .same, .same]), in: us, at: 0, until: 50)
        let unused = places.note(observation([.otherNames], from: 10), in: us, at: 0, until: 50)
        #expect(unused.effect == .nothing, "none was composed")
        places.note(uses: [crossing(.included, .item, 1)], in: us, at: 0)
        let revised = places.note(observation([.otherValues], from: 11), in: us, at: 0, until: 50)
        #expect(revised.effect == .nothing)
        let added = places.note(observation([.otherNames], from: 12), in: us, at: 0, until: 50)
        #expect(added.effect == .outdone)
    }

    /// Each object of an unknown combination was parsed.
    @Test func anUnknownCombinationIsToldOnce() throws {
        var observation = PlacementObservation()
        for index in 0..<400 { observation.note(.songs, .included, UInt64(index % 200), object: index) }
        var places = LearntPlaces(PlacementDemand())
        let us = try #require(Storefront("us"))
        let unknown = places.note(observation, in: us, at: 0, until: 50).unknown
        #expect(unknown.map(\.object) == Array(0..<200))
    }

    @Test func thereIsRoomForSomeStorefronts() throws {
        var places = LearntPlaces(PlacementDemand(resources: 1, usesOfOne: 8))
        let letters = Array("abcdefghijklmnopqrstuvwxyz")
        for (index, name) in letters.flatMap({ one in letters.map { "\(one)\($0)" } }).enumerated() {
            let storefront = try #require(Storefront(name))
            _ = places.note(observation([.same]), in: storefront, at: 0, until: 50)
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
