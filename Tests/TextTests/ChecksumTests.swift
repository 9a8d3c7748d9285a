import Testing
import Text

@Suite struct ChecksumTests {
    @Test(
        arguments: [
            { Checksum.of($0.span) }, { Checksum.brief($0.span) },
            { bytes in
                var sum = Checksum()
                sum.combine(bytes[...])
                return sum.value
            },
        ] as [@Sendable ([UInt8]) -> UInt64])
    func everyChangeOfABitChangesTheSum(sum: @Sendable ([UInt8]) -> UInt64) {
        for count in [0, 1, 7, 31, 32, 33, 100] {
            let bytes = (0..<count).map { UInt8($0) }
            let original = sum(bytes)
            for bit in 0..<count * 8 {
                var changed = bytes
                changed[bit / 8] ^= 1 << (bit % 8)
                #expect(sum(changed) != original, "bit \(bit) of \(count) bytes")
            }
        }
    }

    @Test func wordsThatChangePlacesChangeTheBriefSum() {
        let bytes = (0..<256).map { UInt8($0) }
        let sums = (0..<8).map { block in
            var changed = bytes
            for index in 0..<32 { changed.swapAt(index, block * 32 + index) }
            return Checksum.brief(changed.span)
        }
        #expect(Set(sums).count == sums.count)
    }
}
