import TestSupport
import Testing

@testable import Tier

/// Random replies and random damage against what must hold of any bytes.
@Suite struct RESPReaderPropertyTests {
    private func reply(_ random: inout SeededGenerator, depth: Int = 0) -> RESPReply {
        func bytes(_ most: Int) -> [UInt8] {
            (0..<Int.random(in: 0...most, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
        func text() -> String { String(decoding: bytes(20).map { $0 % 64 + 0x21 }, as: UTF8.self) }
        switch Int.random(in: 0..<(depth < 4 ? 9 : 7), using: &random) {
        case 0: return .simple(text())
        case 1: return .error(code: text(), text: text())
        case 2, 3:
            return .integer(Int64(truncatingIfNeeded: random.next() >> UInt64.random(in: 0..<64, using: &random)))
        case 4, 5: return .bulk(bytes(200))
        case 6: return Bool.random(using: &random) ? .bulk(nil) : .array(nil)
        default:
            let count = Int.random(in: 0...5, using: &random)
            return .array((0..<count).map { _ in reply(&random, depth: depth + 1) })
        }
    }

    private func cuts(_ count: Int, _ random: inout SeededGenerator) -> [Int] {
        guard count > 0 else { return [] }
        return (0..<Int.random(in: 0...8, using: &random)).map { _ in Int.random(in: 0...count, using: &random) }
            .sorted()
    }

    @Test(arguments: 0..<TestSize.of(10, full: 40)) func damagedBytesAreReadTheSameHoweverTheyAreCut(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let alphabet = Array("+-:$*0123456789\r\n".utf8)
        for _ in 0..<40 {
            var wire = (0..<3).flatMap { _ in reply(&random).wire }
            for _ in 0..<Int.random(in: 1...4, using: &random) where !wire.isEmpty {
                let place = Int.random(in: 0..<wire.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: wire[place] = alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
                case 1: wire.remove(at: place)
                default: wire.insert(UInt8.random(in: 0...255, using: &random), at: place)
                }
            }
            let whole = ReadReplies(wire)
            #expect(ReadReplies(wire, cuts: cuts(wire.count, &random)) == whole, "seed \(seed)")
            #expect(ReadReplies(wire, cuts: Array(0...wire.count)) == whole, "seed \(seed)")
        }
    }
}
