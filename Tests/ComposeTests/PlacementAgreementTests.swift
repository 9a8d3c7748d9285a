import Testing

@testable import Compose

@Suite struct PlacementAgreementTests {
    @Test func oneLookShowsThatTwoRolesAgree() {
        var agreement = PlacementAgreement()
        #expect(!agreement.holds(.item, .batched) && agreement.holds(.item, .item))
        do {
            let fits = agreement.note(.item, .batched, isEqual: true)
            #expect(fits)
        }
        #expect(agreement.holds(.item, .batched) && agreement.holds(.batched, .item))
        #expect(!agreement.holds(.item, .included))
    }

    @Test func whatAgreesWithAThirdAgrees() {
        var agreement = PlacementAgreement()
        _ = agreement.note(.item, .batched, isEqual: true)
        _ = agreement.note(.batched, .included, isEqual: true)
        #expect(agreement.holds(.item, .included))
    }

    @Test func aDifferenceSuspendsUntilARunOfAgreements() {
        var agreement = PlacementAgreement()
        _ = agreement.note(.item, .listed, isEqual: true)
        _ = agreement.note(.found, .item, isEqual: true)
        _ = agreement.note(.found, .listed, isEqual: true)
        do {
            let fits = agreement.note(.listed, .item, isEqual: false)
            #expect(!fits)
        }
        #expect(!agreement.holds(.item, .listed), "not even by way of a third")
        #expect(agreement.isRefuted(.item, .listed))
        for _ in 0..<3 {
            do {
                let fits = agreement.note(.item, .listed, isEqual: true)
                #expect(fits)
            }
        }
        #expect(!agreement.holds(.item, .listed))
        do {
            let fits = agreement.note(.item, .listed, isEqual: true)
            #expect(fits)
        }
        #expect(agreement.holds(.item, .listed) && !agreement.isRefuted(.item, .listed))
    }

    @Test func aDifferenceWhereNothingWasKnownIsNoContradiction() {
        var agreement = PlacementAgreement()
        do {
            let fits = agreement.note(.item, .found, isEqual: false)
            #expect(fits)
        }
        #expect(!agreement.holds(.item, .found))
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
