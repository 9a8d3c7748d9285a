import Foundation
import TestSupport
import Testing
import Text

@Suite struct SpanAndTimeTests {
    @Test func secondsAreKeptToTheNanosecond() {
        for (text, nanoseconds) in [
            ("0", 0), ("0.000000001", 1), ("1.5", 1_500_000_000), ("12", 12_000_000_000),
            ("0.1234567899", 123_456_789), ("1e-3", 1_000_000), ("2.5E2", 250_000_000_000),
            ("999999999.999999999", 999_999_999_999_999_999),
        ] { #expect(Duration(decimalSeconds: text) == .nanoseconds(nanoseconds), "\(text)") }
        for text in ["-1", "-0.5", "-0", "1e400", "-1e2", "1000000001", "1e10", "99999999999999999999", "", "x", "."] {
            #expect(Duration(decimalSeconds: text) == nil, "\(text)")
        }
        #expect(Duration.nanoseconds(1_250_000_001).decimalSeconds == "1.250000001")
        #expect(Duration.seconds(-5).decimalSeconds == "0.000000000")
    }

    @Test(arguments: 0..<20)
    func anySpanComesBack(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let span = Duration.nanoseconds(Int64.random(in: 0...999_999_999_999_999_999, using: &random))
        #expect(Duration(decimalSeconds: span.decimalSeconds) == span, "seed \(seed)")
    }

    @Test(arguments: 0..<20)
    func anyTimeComesBack(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        // From the year 1700, since when the calendars agree, to 9999.
        let time = Timestamp(
            microseconds: Int64.random(in: -8_520_336_000_000_000...253_402_300_799_999_999, using: &random))
        #expect(Timestamp(time.text) == time, "seed \(seed): \(time.text)")
        let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        let date = try format.parse(time.text)
        #expect(abs(date.timeIntervalSince1970 - Double(time.microseconds) / 1e6) < 0.01, "seed \(seed): \(time.text)")
    }

    @Test func timesOfRFC3339AreRead() {
        let noon: Int64 = 1_795_348_800_000_000
        for (text, microseconds) in [
            ("2026-11-22T12:00:00Z", noon), ("2026-11-22t12:00:00z", noon), ("2026-11-22T13:30:00+01:30", noon),
            ("2026-11-22T00:00:00-12:00", noon), ("2026-11-22T12:00:00.5Z", noon + 500_000),
            ("2026-11-22T12:00:00.1234567890123Z", noon + 123_456), ("2026-11-22T11:59:60Z", noon),
            ("2026-11-22T13:00:00+0100", noon),
        ] { #expect(Timestamp(text)?.microseconds == microseconds, "\(text)") }
        for text in [
            "", "2026-11-22", "2026-11-22T12:00:00", "2026-11-22 12:00:00Z", "2026-11-22T24:00:00Z",
            "2026-00-22T12:00:00Z", "2026-11-00T12:00:00Z", "2026-11-32T12:00:00Z", "2026-11-22T12:00:00.Z",
            "2026-11-22T12:00:00+25:00", "2026-11-22T12:00:00+1:00", "-026-11-22T12:00:00Z", "2026-11-22T12:00:00ZZ",
            "２０２６-11-22T12:00:00Z", "2026-11-22T12:60:00Z", "2026-11-22T12:00:61Z",
        ] { #expect(Timestamp(text) == nil, "\(text)") }
    }
}
