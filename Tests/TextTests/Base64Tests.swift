import Foundation
import TestSupport
import Testing
import Text

@Suite struct Base64Tests {
    @Test(arguments: ["A", "AAAAA", "Zg==", "Zh", "Zm9", "Z+8A", "Z/8A", "Zg\n", " Zg", "Zé"])
    func paddingForeignCharactersBadLengthsAndSpareBitsAreRefused(text: String) {
        #expect(Base64.url.decode(Array(text.utf8).span) == nil)
    }

    @Test(arguments: UInt64(1)...100)
    func encodedBytesAreDecodedAgainAndEqualFoundations(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let bytes = (0..<Int.random(in: 0...100, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        let (padded, encoded) = (Base64.standard.encode(bytes), Base64.url.encode(bytes))
        let text = Data(bytes).base64EncodedString()
        #expect(padded == Array(text.utf8) && Base64.standard.decode(padded.span) == bytes, "seed \(seed)")
        let expected = text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        #expect(String(decoding: encoded, as: UTF8.self) == expected, "seed \(seed)")
        #expect(Base64.url.decode(encoded.span) == bytes, "seed \(seed)")
        #expect(Base64.url.encodedCount(bytes.count) == encoded.count, "seed \(seed)")
    }

    @Test func lineEndsAndMissingPaddingAreTaken() {
        func decoded(_ text: String) -> [UInt8]? { Base64.standard.decode(Array(text.utf8).span) }
        #expect(decoded("AA\n==") == [0] && decoded("AA") == [0])
        for text in ["A", "A===", "AA=A", "A?AA", "AA-_"] { #expect(decoded(text) == nil, "\(text)") }
    }
}
