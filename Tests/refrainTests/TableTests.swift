import Admin
import Testing
import Text

@testable import refrain

@Suite struct TableTests {
    private func table(width: Int?) -> String {
        Table.text(
            ["name", ">n", "target"], [["a", "1", "/v1/catalog/us/songs/1"], ["longer", "234", "/é"]], width: width)
    }

    @Test func columnsAreAlignedAndNothingTrails() {
        #expect(
            table(width: nil) == """
                name      n  target
                a         1  /v1/catalog/us/songs/1
                longer  234  /é

                """)
    }

    @Test func theLastColumnGivesWay() {
        let text = table(width: 24)
        #expect(text.split(separator: "\n").map(\.count).max() == 24)
        #expect(text.contains("\na         1  /v1/catalo…\n"))
        #expect(TextTable.cut("abc", to: 3) == "abc" && TextTable.cut("abcd", to: 3) == "ab…")
    }

    /// A stored field could have moved the cursor of the operator's terminal.
    @Test func controlCharactersAreNotObeyed() {
        let text = Table.text([("a", "\u{1B}[2Jb\u{9B}c\nd\u{7F}")], width: nil)
        #expect(text == #"a  \u{1b}[2Jb\u{9b}c\u{a}d\u{7f}"# + "\n")
    }

    @Test(arguments: [
        (0, "0s"), (59, "59s"), (60, "1m"), (3661, "1h 1m"), (86_400 * 3 + 14_400, "3d 4h"), (-61, "-1m 1s"),
    ])
    func spansHaveTwoUnitsAtMost(_ seconds: Int, _ text: String) {
        #expect(SpanOfTime.text(seconds) == text)
    }
}
