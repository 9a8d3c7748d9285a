import Testing

@testable import Traffic
@testable import refrain

@Suite struct QuantityTests {
    @Test func readsSizesInPowersOf1024() throws {
        let sizes = [
            "0": 0, "17": 17, "10k": 10_240, "64MiB": 67_108_864, "2GiB": 2_147_483_648, "1m": 1 << 20, "3T": 3 << 40,
        ]
        for (text, bytes) in sizes { #expect(try Quantity.size(text) == bytes, "\(text)") }
    }

    @Test(arguments: ["", "k", "-1k", "+1", "1.5GiB", "1 k", "10MB", "9223372036854775808", "9007199254740992k", "٣k"])
    func refusesOtherSizes(_ text: String) {
        #expect(throws: ValueError.self) { try Quantity.size(text) }
    }

    @Test func readsSizesASecond() throws {
        #expect(try Quantity.sizeRate("256KiB/s") == 256 << 10)
        for text in ["0/s", "1MiB", "/s", "1/m", "-1k/s", "1MiB/s/s"] {
            #expect(throws: ValueError.self, "\(text)") { try Quantity.sizeRate(text) }
        }
    }

    /// `check` added sizes up that fit alone, and was killed by the overflow.
    @Test(arguments: ["1025TiB", "1125899906842625", "8388607TiB", "8388608TiB"])
    func sizesEndLongBeforeTheirSumOverflows(_ text: String) throws {
        #expect(throws: ValueError.self) { try Quantity.size(text) }
        #expect(try Quantity.size("1024TiB") == 1 << 50 && Quantity.size("1125899906842624") == 1 << 50)
    }

    @Test func readsDurations() throws {
        let durations: [String: Duration] = [
            "500ms": .milliseconds(500), "30s": .seconds(30), "15m": .seconds(900), "12h": .seconds(43_200),
            "7d": .seconds(604_800), "0s": .zero,
        ]
        for (text, duration) in durations { #expect(try Quantity.duration(text) == duration, "\(text)") }
    }

    @Test(arguments: ["", "30", "s", "-1s", "1.5h", "1w", "1H", "36501d", "9223372036854775807d", "1h30m"])
    func refusesOtherDurations(_ text: String) {
        #expect(throws: ValueError.self) { try Quantity.duration(text) }
    }

    @Test func readsRatesAndCountsWithinTheirBounds() throws {
        #expect(try Quantity.rate("20/s") == 20)
        #expect(try Quantity.count("4", in: 1...4) == 4)
        for text in ["0/s", "20", "20/m", "/s", "-1/s", "1000000001/s"] {
            #expect(throws: ValueError.self, "\(text)") { try Quantity.rate(text) }
        }
        for text in ["0", "5", "", "4x", "+4"] {
            #expect(throws: ValueError.self, "\(text)") { try Quantity.count(text, in: 1...4) }
        }
    }

    /// Rates below one a second were wrong usage.
    @Test(arguments: [
        ("20/s", 20.0), ("0.5/s", 0.5), ("30/m", 0.5), ("1/2s", 0.5), ("1.5/10s", 0.15), ("1/h", 1 / 3600.0),
    ]) func requestsComeInASpanOfTime(_ text: String, _ perSecond: Double) throws {
        let rate = try Quantity.requestRate(text)
        #expect(abs(rate.perSecond - perSecond) < 1e-12)
        #expect(rate.due(0) == 0 && abs(rate.due(1) - Int64(1e9 / perSecond)) <= 1)
        #expect(rate.due(.max) == 1_000_000_000_000_000_000)
        #expect(rate.count(before: rate.due(3)) == 3 && rate.count(before: rate.due(3) + 1) == 4)
    }

    @Test(arguments: [
        "", "5", "/s", "0/s", "0.0/s", ".5/s", "5./s", "1/0s", "1/d", "1/s/s", "-1/s", "1e3/s", "0.0001/s",
        "0.001/3600h", "1/25h", "999999999.999/3600h",
    ])
    func malformedRequestRatesAreRefused(_ text: String) {
        #expect(throws: ValueError.self) { try Quantity.requestRate(text) }
    }
}
