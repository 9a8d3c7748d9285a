import Testing
import Text

@Suite struct SplitMix64Tests {
    /// The first numbers of the reference implementation (Vigna, splitmix64.c).
    @Test func drawsWhatTheReferenceDraws() {
        var numbers = SplitMix64(seed: 1_234_567)
        #expect(numbers.next() == 6_457_827_717_110_365_317)
        #expect(numbers.next() == 3_203_168_211_198_807_973)
    }
}
