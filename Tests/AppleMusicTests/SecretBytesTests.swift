import Testing

@testable import AppleMusic

@Suite struct SecretBytesTests {
    private struct Refusal: Error {}

    @Test func nothingThatPrintsAValueShowsTheSecret() {
        let secret = SecretBytes("canary-secret")
        var dumped = ""
        dump(secret, to: &dumped)
        let pair = (secret, [secret], Optional(secret))
        for text in [
            "\(secret)", String(reflecting: secret), String(describing: pair), dumped, String(reflecting: [secret]),
        ] {
            #expect(!text.contains("canary") && text.contains("redacted"), "\(text)")
        }
        #expect(Mirror(reflecting: secret).children.isEmpty)
    }

    @Test(arguments: [0, 1, 4095, 4096, 4097, 100_000])
    func holdsAsManyBytesAsItWasGiven(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let secret = SecretBytes(bytes.span)
        #expect(secret.count == count)
        #expect(secret.withUnsafeBytes { Array($0) } == bytes)
        #expect(secret.withBytes { span in span.count } == count)
    }

    @Test func comparingLooksAtLengthAndContent() {
        for (one, other) in [("abc", "abc"), ("abc", "abd"), ("abc", "ab"), ("", ""), ("", "a"), ("a", "")] {
            #expect(SecretBytes(one).isEqual(to: SecretBytes(other)) == (one == other), "\(one) \(other)")
        }
    }

    @Test func mayBeFilledWithLessThanItsCapacityOrNotAtAll() {
        let secret = SecretBytes(capacity: 100) { memory in
            memory[0] = 7
            return 1
        }
        #expect(secret.withUnsafeBytes { Array($0) } == [7])
        #expect(throws: Refusal.self) {
            try SecretBytes(capacity: 10) { _ throws(Refusal) -> Int in throw Refusal() }
        }
    }
}
