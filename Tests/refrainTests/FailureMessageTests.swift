import Testing

@testable import refrain

@Suite struct FailureMessageTests {
    /// Through the bytes and back.
    private func received(_ messages: [String]) -> String {
        let bytes = FailureMessage(messages).bytes
        let count = FailureMessage.count(head: Array(bytes.prefix(FailureMessage.headBytes)))
        #expect(count == bytes.count - FailureMessage.headBytes)
        return FailureMessage(received: bytes.dropFirst(FailureMessage.headBytes)).text
    }

    @Test func allMistakesAreOneLine() {
        #expect(received(["a:1: b", "a:2: c"]) == "a:1: b; a:2: c")
        #expect(received(["a\nb\u{1B}[2Jc\u{2028}d\r\ne"]) == "a b [2Jc d  e")
        #expect(received([]).isEmpty)
    }

    @Test func longWordsAreCutBetweenCharacters() {
        let most = FailureMessage.mostBytes
        #expect(received([String(repeating: "a", count: most)]).utf8.count == most)
        for character in ["a", "é", "漢", "🎵"] {
            let text = received([String(repeating: character, count: most + 1)])
            #expect((most - 3...most).contains(text.utf8.count) && text.hasSuffix(character + "..."))
        }
    }

    @Test func bytesOfAnotherProgramMakeNoLongerLine() {
        #expect(FailureMessage(received: [0x61, 0xFF, 0x07]).text == "a\u{FFFD} ")
        #expect(FailureMessage(received: [UInt8](repeating: 0xFF, count: 4096)).text.utf8.count <= 4096)
        #expect(FailureMessage.count(head: [0x10, 0]) == 4096)
        #expect(FailureMessage.count(head: [0x10, 1]) == nil)
        #expect(FailureMessage.count(head: [1]) == nil && FailureMessage.count(head: []) == nil)
    }
}
