import Testing

@testable import refrain

@Suite struct FailureMessageTests {
    /// Through its bytes and back.
    private func received(_ messages: [String]) -> String {
        FailureMessage(received: FailureMessage(messages).text.utf8).text
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
    }

    @Test func aLengthThatIsCutOrTooLargeIsNone() {
        let most = FailureMessage.mostBytes
        #expect(UpgradeFrame.failure.head(before: most) == [0x65, 0x10, 0])
        #expect(UpgradeFrame.failure.count([0x10, 0]) == most)
        #expect(UpgradeFrame.failure.count([0x10, 1]) == nil && UpgradeFrame.ticketKeys.count([0x10, 1]) == most + 1)
        #expect(UpgradeFrame.failure.count([1]) == nil && UpgradeFrame.ticketKeys.count([]) == nil)
    }
}
