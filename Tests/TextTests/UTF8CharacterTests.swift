import Testing

@testable import Text

@Suite struct UTF8CharacterTests {
    private func read(_ bytes: [UInt8], at index: Int = 0) -> UTF8Character? {
        UTF8Character(in: bytes.span, at: index)
    }

    @Test(arguments: [
        "a", "\u{7F}", "\u{80}", "ü", "\u{7FF}", "\u{800}", "日", "\u{FFFF}", "\u{10000}", "😀", "\u{10FFFF}",
    ])
    func everyLengthIsRead(text: String) throws {
        let bytes = Array(text.utf8)
        let character = try #require(read(bytes))
        #expect(character.scalar == text.unicodeScalars.first && character.byteCount == bytes.count)
        #expect(read([0x61] + bytes + [0x62], at: 1) == character)
        // Cut short, and with a foreign byte in the place of its last.
        if bytes.count > 1 {
            #expect(read(Array(bytes.dropLast())) == nil && read(bytes.dropLast() + [0x61]) == nil)
        }
    }

    /// Continuations, longer spellings than needed, surrogates, beyond Unicode.
    @Test(
        arguments: [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF],
        ] as [[UInt8]]) func malformedBytesAreNone(bytes: [UInt8])
    { #expect(read(bytes) == nil) }

    /// The standard library's verdict on all pairs and on triples and quadruples at random.
    @Test func itAgreesWithTheStandardLibrary() {
        var random = SplitMix64(seed: 1)
        for count in 2...4 {
            for _ in 0..<20_000 {
                let bytes =
                    [UInt8.random(in: 0xC0...0xFF, using: &random)]
                    + (1..<count).map { _ in UInt8.random(in: 0x70...0xCF, using: &random) }
                let expected = String(validating: bytes, as: UTF8.self).flatMap {
                    $0.unicodeScalars.count == 1 ? $0.unicodeScalars.first : nil
                }
                let found = read(bytes).flatMap { $0.byteCount == count ? $0.scalar : nil }
                #expect(found == expected, "\(bytes)")
            }
        }
    }

    @Test func charactersThatATerminalActsOnAreControls() {
        let controls: [Unicode.Scalar] = [
            "\0", "\u{1B}", "\u{7F}", "\u{85}", "\u{9B}", "\u{2028}", "\u{202E}", "\u{2066}",
        ]
        for scalar in controls { #expect(read(Array(String(Character(scalar)).utf8))?.isControl == true) }
        for text in [" ", "\"", "ü", "日", "😀"] { #expect(read(Array(text.utf8))?.isControl == false) }
    }
}
