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

    @Test func everyChangeOfAByteChangesTheSumOfLongContent() {
        for count in [0, 1, 7, 31, 32, 33, 100] {
            let bytes = (0..<count).map { UInt8($0) }
            let sum = Checksum.of(bytes.span)
            for position in 0..<count {
                var changed = bytes
                changed[position] ^= 1
                #expect(Checksum.of(changed.span) != sum, "byte \(position) of \(count)")
            }
        }
    }
}
