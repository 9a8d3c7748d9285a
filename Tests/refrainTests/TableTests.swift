import Admin
import Testing
import Text

@testable import refrain

@Suite struct TableTests {
    private func table() -> Table {
        var table = Table([.init(title: "name"), .init(title: "n", isNumeric: true), .init(title: "target")])
        table.add(["a", "1", "/v1/catalog/us/songs/1"])
        table.add([Table.Cell("longer", .green), "234", "/é"])
        return table
    }

    @Test func columnsAreAlignedAndNothingTrails() {
        #expect(
            table().text(for: .none) == """
                name      n  target
                a         1  /v1/catalog/us/songs/1
                longer  234  /é

                """)
    }

    @Test func theLastColumnGivesWay() {
        let text = table().text(for: Terminal(width: 24, hasColour: false))
        #expect(text.split(separator: "\n").map(\.count).max() == 24)
        #expect(text.contains("\na         1  /v1/catalo…\n"))
        #expect(TextTable.cut("abc", to: 3) == "abc" && TextTable.cut("abcd", to: 3) == "ab…")
    }

    @Test func coloursDoNotMoveColumns() {
        let coloured = table().text(for: Terminal(width: 80, hasColour: true))
        let plain = coloured.replacing("\u{1B}[32m", with: "").replacing("\u{1B}[1m", with: "").replacing(
            "\u{1B}[0m", with: "")
        #expect(coloured != plain && plain == table().text(for: .none))
    }

    /// A stored field could have moved the cursor of whoever looked at it.
    @Test func controlCharactersAreNotObeyed() {
        #expect(Table.Cell("a\u{1B}[2Jb\u{9B}c\nd\u{7F}").text == "a?[2Jb?c?d?")
    }

    @Test(arguments: [
        (0, "0s"), (59, "59s"), (60, "1m"), (3661, "1h 1m"), (86_400 * 3 + 14_400, "3d 4h"), (-61, "-1m 1s"),
    ])
    func spansHaveTwoUnitsAtMost(_ seconds: Int, _ text: String) {
        #expect(SpanOfTime.text(seconds) == text)
    }

    @Test func aTerminalSaysWhatItCanShow() {
        func terminal(_ columns: Int, _ environment: [String: String]) -> Terminal {
            Terminal(columns: columns) { environment[$0] }
        }
        #expect(terminal(100, ["TERM": "xterm"]) == Terminal(width: 100, hasColour: true))
        #expect(terminal(0, ["TERM": "xterm", "NO_COLOR": ""]) == Terminal(width: 80, hasColour: true))
        #expect(!terminal(80, ["TERM": "xterm", "NO_COLOR": "1"]).hasColour)
        #expect(!terminal(80, ["TERM": "dumb"]).hasColour && !terminal(80, [:]).hasColour)
        #expect(Terminal.none == Terminal(width: nil, hasColour: false))
    }
}
