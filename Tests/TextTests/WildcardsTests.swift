import TestSupport
import Testing

@testable import Text

@Suite struct WildcardsTests {
    private func matches(_ pattern: String, _ text: String) -> Bool {
        Wildcards(Array(pattern.utf8)).matches(Array(text.utf8)[...])
    }

    /// By its definition: a star takes nothing, or one byte more.
    private func model(_ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        if first == Wildcards.star {
            return model(pattern.dropFirst(), text) || !text.isEmpty && model(pattern, text.dropFirst())
        }
        return text.first == first && model(pattern.dropFirst(), text.dropFirst())
    }

    @Test func aStarStandsForAnyBytes() {
        #expect(matches("", "") && matches("*", "") && matches("/a", "/a") && matches("/a*", "/abc"))
        #expect(matches("*b*", "abc") && matches("a*c*e", "abcde") && matches("**", "x"))
        #expect(!matches("", "a") && !matches("/a", "/ab") && !matches("a*b", "acbd") && !matches("a*a", "a"))
    }

    @Test func itMatchesWhatItsDefinitionDoes() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<20_000 {
            func text(_ letters: String, _ most: Int) -> [UInt8] {
                (0..<Int.random(in: 0...most, using: &generator)).map { _ in
                    letters.utf8.randomElement(using: &generator)!
                }
            }
            let (pattern, text) = (text("ab*", 7), text("ab", 9))
            #expect(
                Wildcards(pattern).matches(text[...]) == model(pattern[...], text[...]),
                "\(String(decoding: pattern, as: UTF8.self)), \(String(decoding: text, as: UTF8.self))")
        }
    }
}
