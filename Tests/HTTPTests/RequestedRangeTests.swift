import HTTP
import TestSupport
import Testing

@Suite struct RequestedRangeTests {
    private func parse(_ text: String, _ length: Int) -> RequestedRange {
        let bytes = Array(text.utf8)
        return RequestedRange.parse(bytes.span, 0..<bytes.count, length: length)
    }

    @Test(arguments: [
        ("bytes=0-0", 0..<1), ("bytes=0-1", 0..<2), ("BYTES=2-", 2..<10), ("bytes=9-", 9..<10), ("bytes=-1", 9..<10),
        ("bytes=-10", 0..<10), ("bytes=-11", 0..<10), ("bytes=0-10", 0..<10), ("bytes= 3-4 ", 3..<5),
        ("bytes=3-4,", 3..<5), ("bytes=003-4", 3..<5), ("bytes=0-99999999999999999999999", 0..<10),
        ("bytes=-99999999999999999999999", 0..<10), ("bytes=5-9223372036854775807", 5..<10),
    ])
    func onePartIsFound(text: String, part: Range<Int>) { #expect(parse(text, 10) == .part(part)) }

    @Test(arguments: [
        "bytes=10-", "bytes=10-11", "bytes=-0", "bytes=99999999999999999999999-", "bytes=9223372036854775807-",
        "bytes=9223372036854775807-9223372036854775807",
    ])
    func rangesAfterTheEndCannotBeSatisfied(text: String) {
        #expect(parse(text, 10) == .unsatisfiable)
    }

    @Test(arguments: [
        "", "bytes", "bytes=", "bytes=-", "bytes=1", "bytes=1-0", "bytes=a-b", "bytes=1-2-3", "bytes=+1-2",
        "bytes=1--2", "bytes=--1", "bytes =0-1", "items=0-1", "bytes=0-1,3-4", "bytes=0-1, x", "bytes=0 -1",
        "bytes=0x0-1", "bytes=99999999999999999999999-1",
    ])
    func everythingElseIsIgnored(text: String) { #expect(parse(text, 10) == .ignored) }

    @Test func nothingHasNoParts() {
        #expect(parse("bytes=0-", 0) == .unsatisfiable)
        #expect(parse("bytes=-1", 0) == .ignored)
    }

    @Test func noBytesLeadOutsideTheContent() {
        var generator = SeededGenerator(seed: 14)
        let alphabet = Array("bytes=-,0123456789 x".utf8)
        for round in 0..<20_000 {
            let tail = (0..<Int.random(in: 0..<24, using: &generator)).map { _ in
                alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
            }
            let bytes = Array("bytes=".utf8) + tail
            let length = Int.random(in: 0..<1000, using: &generator)
            guard case .part(let part) = RequestedRange.parse(bytes.span, 0..<bytes.count, length: length) else {
                continue
            }
            #expect(!part.isEmpty && part.lowerBound >= 0 && part.upperBound <= length, "seed 14, round \(round)")
        }
    }
}
