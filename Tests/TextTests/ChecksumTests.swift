import Testing
import Text

@Suite struct ChecksumTests {
    @Test func everySingleBitChangesIt() {
        var bytes = (0..<67).map { UInt8($0) }
        func sum() -> UInt64 {
            var sum = Checksum()
            sum.combine(bytes[...])
            return sum.value
        }
        let original = sum()
        for bit in 0..<bytes.count * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8)
            #expect(sum() != original)
            bytes[bit / 8] ^= 1 << (bit % 8)
        }
    }

    @Test(arguments: [{ Checksum.of($0.span) }, { Checksum.brief($0.span) }] as [@Sendable ([UInt8]) -> UInt64])
    func everyChangeOfAByteChangesTheSumOfLongContent(sum: @Sendable ([UInt8]) -> UInt64) {
        for count in [0, 1, 7, 31, 32, 33, 100] {
            let bytes = (0..<count).map { UInt8($0) }
            let original = sum(bytes)
            for position in 0..<count {
                var changed = bytes
                changed[position] ^= 1
                #expect(sum(changed) != original, "byte \(position) of \(count)")
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
