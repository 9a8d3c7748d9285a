import Testing
import Text

@Suite struct BoundedConversionTests {
    @Test func valuesInRangeLoseTheirFraction() {
        for (value, whole) in [(0.0, 0), (1.9, 1), (-1.9, -1), (9_007_199_254_740_992, 9_007_199_254_740_992)] {
            #expect(Int(clamping: value) == whole && Int64(clamping: value) == Int64(whole))
        }
        #expect(UInt8(clamping: 255.0) == 255 && Int32(clamping: -2_147_483_648.0) == .min)
    }

    /// They ended the process.
    @Test func valuesOutOfRangeAreClamped() {
        for value in [9_223_372_036_854_775_808.0, 1e19, 1e308, .infinity] {
            #expect(Int64(clamping: value) == .max && Int64(clamping: -value) == .min)
        }
        #expect(Int64(clamping: 9_223_372_036_854_774_784.0) == 9_223_372_036_854_774_784)
        #expect(UInt8(clamping: 256.0) == 255 && UInt8(clamping: -0.5) == 0 && UInt64(clamping: -1e9) == 0)
        #expect(UInt64(clamping: 18_446_744_073_709_551_616.0) == .max)
        #expect(Int(clamping: Double.nan) == 0 && UInt32(clamping: -Double.nan) == 0)
    }
}
