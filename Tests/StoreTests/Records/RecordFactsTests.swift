import Testing

@testable import Store

struct RecordFactsTests {
    private let facts = RecordFacts(
        status: 300, classTag: 255, receivedAt: noon, born: 1 << 40,
        times: RecordFacts.Times(
            freshFor: 1, staleFor: 2, staleIfErrorFor: 3, keepFor: RecordFacts.Times.longest, initialAge: 5),
        storefront: Array("jp".utf8), selecting: Array("accept-language".utf8), resources: [1, .max, 7])

    @Test func factsAreReadAsTheyWereWritten() throws {
        let (read, checksum) = try #require(decode(bytes(facts, checksum: .max - 1)))
        #expect(
            checksum == .max - 1 && read.born == 1 << 40 && read.receivedAt == noon && read.status == 300
                && read.times == facts.times)
        #expect(read.classTag == 255 && read.storefront == facts.storefront)
        #expect(read.selecting == facts.selecting && read.resources == facts.resources)
        #expect(bytes(facts, checksum: 1).count == facts.byteCount)
    }

    /// Only freshness may have ended before the answer was made.
    @Test func freshnessThatEndedBeforeIsReadAsItWasWritten() throws {
        func facts(freshFor: Int, staleFor: Int = 0) -> RecordFacts {
            RecordFacts(
                status: 200, classTag: 1, receivedAt: noon,
                times: RecordFacts.Times(
                    freshFor: freshFor, staleFor: staleFor, staleIfErrorFor: 0, keepFor: 0, initialAge: 0),
                storefront: [], selecting: [], resources: [])
        }
        let longest = RecordFacts.Times.longest
        for seconds in [0, -1, -86_400, 1 - longest, longest] {
            let bytes = bytes(facts(freshFor: seconds), checksum: 1)
            let read = bytes.withUnsafeBytes { RecordFacts.read($0, hasBorn: false) }
            #expect(read?.facts.times.freshFor == seconds, "\(seconds)")
        }
        for seconds in [.min, -longest, longest + 1, .max] { #expect(!facts(freshFor: seconds).arePlausible) }
        #expect(!facts(freshFor: 0, staleFor: -1).arePlausible)
    }

    @Test func bytesThatAreNoFactsAreNone() {
        let bytes = bytes(facts, checksum: 1)
        for count in 0..<bytes.count
        where count + 24 != bytes.count && count + 16 != bytes.count && count + 8 != bytes.count {
            #expect(decode(Array(bytes[..<count])) == nil, "\(count) bytes")
        }
        var tooLong = bytes
        tooLong[35] = 0xFF
        #expect(decode(tooLong) == nil, "a duration that no record has")
        for position in bytes.indices {
            var changed = bytes
            changed[position] = 0xFF
            // It may still be facts; then the checksum tells. It must not trap.
            _ = decode(changed)
        }
        #expect(decode(Array(repeating: 0xFF, count: 68)) == nil)
    }

    private func bytes(_ facts: RecordFacts, checksum: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        facts.append(to: &bytes, checksum: checksum)
        return bytes
    }

    private func decode(_ bytes: [UInt8]) -> (facts: RecordFacts, checksum: UInt64)? {
        bytes.withUnsafeBytes { RecordFacts.read($0, hasBorn: true) }
    }
}
