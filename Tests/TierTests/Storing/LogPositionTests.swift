import Testing

@testable import Tier

@Suite struct LogPositionTests {
    private func position(_ text: String) -> LogPosition? { LogPosition(text.utf8) }

    @Test(arguments: ["0-0", "0-1", "1700000000000-0", "18446744073709551615-18446744073709551615"])
    func positionsAreWrittenAsRead(text: String) { #expect(LogPosition(text.utf8)?.text == text) }

    @Test(arguments: [
        "", "-", "1", "1-", "-1", "1-2-3", "1--2", "+1-0", "1-+0", "01-0", "1-00", "1-a", " 1-0", "1-0 ", "$", "*",
        "18446744073709551616-0", "0-18446744073709551616", "99999999999999999999-0", "OK",
    ])
    func everythingElseIsNone(text: String) { #expect(LogPosition(text.utf8) == nil) }

    @Test func theOrderIsThatOfNumbersAndSecondsAreTheEngines() throws {
        let sorted = ["0-0", "0-9", "0-10", "9-0", "9-1", "10-0"].compactMap { position($0) }
        #expect(sorted.count == 6 && sorted == sorted.shuffled().sorted() && sorted[0] == .start)
        #expect(LogPosition(1_700_000_000_999, 3).unixSeconds == 1_700_000_000)
        #expect(LogPosition(.max, 0).unixSeconds == 18_446_744_073_709_551)
    }

    @Test func anEpochIsSixteenDigitsBeforeTheMarksPosition() {
        #expect(epoch.text == "0123456789abcdef" && LogEpoch(epoch.text.utf8) == epoch)
        for text in [
            "", "0123456789abcde", "0123456789abcdef0", "0123456789ABCDEF", "0123456789abcdeg", "+123456789abcdef",
        ] {
            #expect(LogEpoch(text.utf8) == nil, "\(text)")
        }
        #expect(LogEpoch.random() != LogEpoch.random())
        let mark = logMark(12, 3)
        #expect(mark.text == "0123456789abcdef:12-3" && LogMark(mark.text.utf8) == mark)
        for text in ["", ":", "0123456789abcdef", "0123456789abcdef:12", "0123456789abcdef:12-3:", "x:12-3"] {
            #expect(LogMark(text.utf8) == nil, "\(text)")
        }
    }
}
