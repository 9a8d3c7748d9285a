import Testing
import Text

@Suite struct FairShareTests {
    @Test func onePartyGetsSevenEighths() {
        for all in 1...200 {
            var held = 0
            while FairShare.allows(1, holding: held, of: all - held) { held += 1 }
            #expect(held == FairShare.most(of: all) && held == max(1, all * 7 / 8), "\(all)")
        }
    }

    @Test func partiesThatHoldNothingGetWhatIsFree() {
        #expect(FairShare.allows(5, holding: 0, of: 5) && !FairShare.allows(6, holding: 0, of: 5))
        #expect(!FairShare.allows(1, holding: 0, of: 0) && !FairShare.allows(1, holding: 1, of: 1))
        #expect(FairShare.allows(1, holding: 6, of: 2) && !FairShare.allows(1, holding: 7, of: 2))
    }

    /// Parties in turns, each taking what it may: they come to hold the same.
    @Test(arguments: 1...9) func partiesInTurnsShareAlike(count: Int) {
        var held = [Int](repeating: 0, count: count)
        func free() -> Int { 1_000 - held.reduce(0, +) }
        while let index = held.indices.min(by: { held[$0] < held[$1] }),
            FairShare.allows(1, holding: held[index], of: free())
        {
            held[index] += 1
        }
        #expect(held.max()! - held.min()! <= 1 && free() >= 1_000 / (7 * count + 1))
    }
}
