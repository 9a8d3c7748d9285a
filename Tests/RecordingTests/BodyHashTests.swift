import Testing

@testable import Recording

@Suite struct BodyHashTests {
    @Test func hashesAreSixtyFourDigitsInLowerCase() throws {
        let hash = try #require(BodyHash(of: []))
        #expect(hash.description == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(BodyHash(hash.description) == hash)
        #expect(BodyHash(hash.description.uppercased()) == nil && BodyHash("e3") == nil)
        #expect(BodyHash(hash.description + "0") == nil)
    }
}
