import Testing

@testable import Compose

@Suite struct PlacementAgreementTests {
    @Test func oneLookShowsThatRolesAgree() {
        var agreement = PlacementAgreement()
        #expect(!agreement.holds(.item, .batched) && agreement.holds(.item, .item))
        #expect(agreement.note(.item, .batched, isEqual: true) == true)
        #expect(agreement.holds(.item, .batched) && agreement.holds(.batched, .item))
        #expect(!agreement.holds(.item, .included))
        _ = agreement.note(.batched, .included, isEqual: true)
        #expect(agreement.holds(.item, .included))
    }

    @Test func aDifferenceSuspendsUntilARunOfAgreements() {
        var agreement = PlacementAgreement()
        _ = agreement.note(.item, .listed, isEqual: true)
        _ = agreement.note(.found, .item, isEqual: true)
        _ = agreement.note(.found, .listed, isEqual: true)
        #expect(agreement.note(.listed, .item, isEqual: false) == false)
        #expect(!agreement.holds(.item, .listed), "not even by way of a third")
        #expect(agreement.isRefuted(.item, .listed))
        for _ in 0..<3 { #expect(agreement.note(.item, .listed, isEqual: true) == true) }
        #expect(!agreement.holds(.item, .listed))
        #expect(agreement.note(.item, .listed, isEqual: true) == true)
        #expect(agreement.holds(.item, .listed) && !agreement.isRefuted(.item, .listed))
        var fresh = PlacementAgreement()
        #expect(fresh.note(.item, .found, isEqual: false) == true)
        _ = fresh.note(.item, .found, isEqual: true)
        #expect(!fresh.holds(.item, .found), "one agreement is not enough")
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
