import TestSupport
import Testing

@testable import HTTP

/// Whatever comes as gzip: the content, or an error, and never more memory than the bounds.
@Suite(.requires(.zlib)) struct GzipTests {
    private let gzip = Gzip.system

    private func outcome(_ coded: [UInt8], _ bounds: Gzip.Bounds = Gzip.Bounds()) -> Result<[UInt8], Gzip.Failure> {
        Result { () throws(Gzip.Failure) in try gzip.inflate(coded, bounds) }
    }

    /// A stream of stored blocks, as RFC 1951 3.2.4 has them: written here, so that zlib is not the
    /// only judge of itself.
    private static let hello: [UInt8] =
        [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255, 1, 5, 0, 0xFA, 0xFF] + Array("hello".utf8)
        + [0x86, 0xA6, 0x10, 0x36, 5, 0, 0, 0]

    private static func text(_ count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        let words = ["\"id\":", "\"type\":\"songs\",", "{\"attributes\":", "}", "1440857781", "Ünïcode "]
        var bytes: [UInt8] = []
        while bytes.count < count { bytes += Array(words.randomElement(using: &generator)!.utf8) }
        return Array(bytes[..<count])
    }

    @Test func streamsWrittenByHandAreReadToTheirEnd() {
        #expect(outcome(Self.hello) == .success(Array("hello".utf8)))
        let empty: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        #expect(outcome(empty) == .success([]))
        for garbage in [[0], [0x1F], Self.hello, Array("HTTP/1.1 200 OK\r\n\r\n".utf8)] {
            #expect(throws: Gzip.Failure.self) { try gzip.inflate(Self.hello + garbage) }
        }
    }

    @Test func deflatedContentComesBack() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        for count in [200, 1_024, 4_096, 100_000, 3 << 20, 8 << 20] {
            let bytes = Self.text(count, &generator)
            let coded = try #require(gzip.deflate(bytes), "seed \(seed)")
            #expect(coded.count < count * 7 / 8, "seed \(seed)")
            #expect(outcome(coded) == .success(bytes), "seed \(seed), \(count) bytes")
        }
    }

    @Test func contentThatDoesNotShrinkStaysAsItIs() {
        var generator = SeededGenerator(seed: 1)
        #expect(gzip.deflate((0..<10_000).map { _ in UInt8.random(in: 0...255, using: &generator) }) == nil)
        #expect(gzip.deflate([]) == nil && gzip.deflate(Array("{}".utf8)) == nil)
    }

    @Test func everyTruncationIsMalformed() throws {
        var generator = SeededGenerator(seed: 2)
        let coded = try #require(gzip.deflate(Self.text(2_000, &generator)))
        for count in 0..<coded.count {
            if case .success = outcome(Array(coded[..<count])) { Issue.record("\(count) bytes are a whole answer") }
        }
    }

    /// Checksum, length, head and blocks: one wrong bit anywhere is an error, or does not change
    /// the content.
    @Test func noDamageGivesOtherContent() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        let bytes = Self.text(3_000, &generator)
        let coded = try #require(gzip.deflate(bytes))
        for bit in 0..<(coded.count * 8) {
            var damaged = coded
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            if case .success(let content) = outcome(damaged) {
                #expect(content == bytes, "seed \(seed), bit \(bit)")
            }
        }
    }

    @Test func bombsAreSeenBeforeTheyGoOff() throws {
        let zeros = try #require(gzip.deflate([UInt8](repeating: 0, count: 4 << 20)))
        #expect(zeros.count < 8_192)
        #expect(outcome(zeros) == .failure(.suspicious))
        #expect(outcome(zeros, Gzip.Bounds(ratio: .max)) == .success([UInt8](repeating: 0, count: 4 << 20)))
        // Content that claims to be small must be small.
        for claim: [UInt8] in [[5, 0, 0, 0], [0, 0, 0, 0], [0xFF, 0xFF, 3, 0]] {
            #expect(outcome(zeros.dropLast(4) + claim) == .failure(.malformed))
        }
        // Content that claims to be large does not get that much memory.
        #expect(outcome(Self.hello.dropLast(4) + [0xFF, 0xFF, 0xFF, 0xFF]) == .failure(.suspicious))
        #expect(outcome(Self.hello.dropLast(4) + [0, 0, 3, 0]) == .failure(.malformed))
    }

    @Test func theBoundIsExact() throws {
        var generator = SeededGenerator(seed: 3)
        let coded = try #require(gzip.deflate(Self.text(5_000, &generator)))
        #expect(throws: Never.self) { try gzip.inflate(coded, Gzip.Bounds(most: 5_000)) }
        #expect(outcome(coded, Gzip.Bounds(most: 4_999)) == .failure(.tooLarge))
        #expect(outcome(coded, Gzip.Bounds(ratio: 1, harmless: 5_000)) != .failure(.suspicious))
        #expect(outcome(coded, Gzip.Bounds(ratio: 1, harmless: 4_999)) == .failure(.suspicious))
    }

    @Test func withoutZlibNothingIsCoded() {
        let bytes = [UInt8](repeating: 65, count: 5_000)
        #expect(Gzip.absent.deflate(bytes) == nil)
        #expect(throws: Gzip.Failure.malformed) { try Gzip.absent.inflate(Self.hello) }
    }
}
