import Testing

@testable import Cache
@testable import Freshness

struct AnswerFactsTests {
    private let signpost = response(
        "/a", "{}", at: noon,
        lifetime: Lifetime(freshFor: 1, staleFor: 2, staleIfErrorFor: 3, keepFor: .max, initialAge: 5),
        storefront: "jp", classTag: 255, selecting: "accept-language", resources: [1, .max, 7])

    @Test func whatIsWrittenIsRead() throws {
        let facts = try #require(decode(bytes(AnswerFacts(signpost, checksum: .max - 1))))
        #expect(facts.checksum == .max - 1 && facts.receivedAt == noon && facts.status == 200)
        #expect(facts.lifetime == signpost.lifetime && facts.lifetime.keepFor == Lifetime.longest)
        #expect(facts.classTag == 255 && facts.storefront == signpost.storefront)
        #expect(facts.selecting == signpost.selecting && facts.resources == signpost.resources)
    }

    @Test func anotherLifetimeTakesAsManyBytes() {
        var facts = AnswerFacts(signpost, checksum: 1)
        let before = bytes(facts)
        (facts.lifetime, facts.checksum) = (Lifetime(freshFor: 0), .max)
        #expect(bytes(facts).count == before.count && bytes(facts) != before && facts.byteCount == before.count)
    }

    @Test func bytesThatAreNoFactsAreNone() {
        let bytes = bytes(AnswerFacts(signpost, checksum: 1))
        for count in 0..<bytes.count
        where count + 24 != bytes.count && count + 16 != bytes.count && count + 8 != bytes.count {
            #expect(decode(Array(bytes[..<count])) == nil, "\(count) bytes")
        }
        for position in bytes.indices {
            var changed = bytes
            changed[position] = 0xFF
            // It may still be facts; then the checksum tells. It must not trap.
            _ = decode(changed)
        }
        #expect(decode(Array(repeating: 0xFF, count: 60)) == nil)
    }

    private func bytes(_ facts: AnswerFacts) -> [UInt8] {
        var bytes: [UInt8] = []
        facts.append(to: &bytes)
        return bytes
    }

    private func decode(_ bytes: [UInt8]) -> AnswerFacts? {
        bytes.withUnsafeBytes { AnswerFacts($0) }
    }
}
