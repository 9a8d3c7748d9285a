import TestSupport
import Testing

@testable import HTTP

/// A search by words of eight bytes finds the same as one byte by byte.
@Suite struct ByteSearchTests {
    @Test(arguments: TestSize.of(0..<100, full: 0..<300))
    func wordsAndBytesFindTheSame(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let isNoisy = Bool.random(using: &generator)
        let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ -> UInt8 in
            let byte = UInt8.random(in: isNoisy ? 0...255 : 0x20...0x7E, using: &generator)
            return byte == 0x7F ? 0x7E : byte
        }
        for start in 0...bytes.count {
            let range = start..<Int.random(in: start...bytes.count, using: &generator)
            let target = range.first { !ASCII.isTarget(bytes[$0]) } ?? range.upperBound
            #expect(bytes.span.firstOutsideTarget(range) == target, "seed \(seed) \(range)")
            let colon = range.first { bytes[$0] == UInt8(ascii: ":") } ?? range.upperBound
            #expect(bytes.span.first(UInt8(ascii: ":"), in: range) == colon, "seed \(seed) \(range)")
        }
    }

    @Test(arguments: (0..<256).map { UInt8($0) })
    func aControlCharacterIsFoundAtEveryPlace(byte: UInt8) {
        let isControl = (byte < 0x20 && byte != 0x09) || byte == 0x7F
        for count in 1...20 {
            for place in 0..<count {
                var bytes = [UInt8](repeating: 0x80, count: count)
                bytes[0] = 0x09
                bytes[place] = byte
                #expect(
                    bytes.span.firstControl(0..<count) == (isControl ? place : count), "\(byte) at \(place) of \(count)"
                )
            }
        }
    }
}
