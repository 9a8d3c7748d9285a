import Testing
import Text

@testable import Recording

@Suite struct RecordedExchangeTests {
    @Test func aTimestampReadsWhatItWrites() throws {
        let time = Timestamp(microseconds: 1_795_305_600_123_456)
        #expect(time.text == "2026-11-22T00:00:00.123456Z")
        #expect(Timestamp(time.text) == time)
    }
}
