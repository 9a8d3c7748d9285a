import TestSupport
import Testing

@testable import refrain

@Suite struct ConfigurationLexerTests {
    private func words(_ text: String) throws(ValueError) -> [String] {
        try ConfigurationLexer.words(of: Array(text.utf8)[...])
    }

    @Test func splitsAtBlanksAndTabs() throws {
        #expect(try words("  listen\t 127.0.0.1:80  tls ") == ["listen", "127.0.0.1:80", "tls"])
        #expect(try words(" \t").isEmpty)
    }

    @Test func beginsACommentOnlyAtTheStartOfAWord() throws {
        #expect(try words("# all of it").isEmpty)
        #expect(try words("a b #c d") == ["a", "b"])
        #expect(try words("a b#c") == ["a", "b#c"])
    }

    @Test func takesQuotedWordsWithoutTheirQuotes() throws {
        #expect(try words(#"f "a b#c" 'd "e" \'"#) == ["f", "a b#c", #"d "e" \"#])
        #expect(try words(#"f "a\"b\\c\n""#) == ["f", #"a"b\c\n"#])
        #expect(try words(#"f """#) == ["f", ""])
    }

    @Test(arguments: [#"f "a"#, "f 'a\"", #"f "a"b"#, "f a\u{1}", "f \"a\u{0}\""])
    func refusesWhatCannotBeMeant(_ text: String) {
        #expect(throws: ValueError.self) { try words(text) }
    }

    @Test func refusesBytesThatAreNotUTF8() {
        #expect(throws: ValueError("not UTF-8")) { try ConfigurationLexer.words(of: [0x61, 0xFF]) }
    }

    @Test func countsLinesFromOneAndSurvivesOtherEditors() {
        var errors: [ConfigurationError] = []
        let bytes = [0xEF, 0xBB, 0xBF] + Array("a b\r\n\n# c\r\n'open\nd".utf8)
        let lines = ConfigurationLexer.lines(of: bytes, file: "f", errors: &errors)
        #expect(lines.map(\.words) == [["a", "b"], ["d"]])
        #expect(lines.map(\.place.description) == ["f:1", "f:5"])
        #expect(errors.map(\.description) == ["f:4: a quote is not closed"])
    }

    @Test func readsBackWhatItSpells() throws {
        var generator = SeededGenerator(seed: 1)
        let alphabet = Array(##"ab "'\#é/"##)
        for _ in 0..<200 {
            let written = (0..<3).map { _ in
                let count = Int.random(in: 0...6, using: &generator)
                return String((0..<count).map { _ in alphabet.randomElement(using: &generator)! })
            }
            let line = written.map(ConfigurationLexer.spelling).joined(separator: " ")
            #expect(try words(line) == written, "\(line)")
        }
    }
}
