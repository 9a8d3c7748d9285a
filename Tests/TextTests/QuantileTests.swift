import Testing
import Text

@Suite struct QuantileTests {
    @Test func theBucketHoldsTheValueOfThatRank() {
        let counts = [0, 3, 0, 4, 93][...]
        for (share, bucket) in [(0, 1), (0.03, 1), (0.04, 3), (0.07, 3), (0.071, 4), (1, 4)] as [(Double, Int)] {
            #expect(counts.bucket(ofShare: share, of: 100) == bucket, "\(share)")
        }
        // A hundred more are larger than all that were counted.
        for (share, bucket) in [(0.015, 1), (0.02, 3), (0.5, 4), (0.99, 4)] as [(Double, Int)] {
            #expect(counts.bucket(ofShare: share, of: 200) == bucket, "\(share)")
        }
        #expect([0, 0][...].bucket(ofShare: 0.5, of: 0) == nil && [][...].bucket(ofShare: 0.5, of: 0) == nil)
    }
}
