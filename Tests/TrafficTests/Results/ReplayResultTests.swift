import TestSupport
import Testing
import Text

@testable import Traffic

@Suite struct ReplayResultTests {
    @Test(arguments: 0..<5 as Range<UInt64>)
    func aResultSurvivesItsJSON(seed: UInt64) throws {
        var result = SyntheticResult.make(seed: seed, seconds: 5)
        result.invalidBecause = seed.isMultiple(of: 2) ? "late by 40 ms" : nil
        (result.resets, result.verification.notCompared) = (3, ["content not recorded": 2])
        #expect(try ReplayResult(json: result.json.bytes) == result, "seed \(seed)")
    }

    @Test func anEmptyResultSurvivesItsJSON() throws {
        let result = ReplayResult.empty()
        #expect(try ReplayResult(json: result.json.bytes) == result)
        #expect(result.rate == nil && result.hitRatio == nil && result.failed == 0)
    }

    @Test func theExactExtremesAreKeptThoughBucketsAreWider() throws {
        var result = SyntheticResult.make(seed: 1, seconds: 1)
        result.corrected = Histogram()
        for value: Int64 in [1_000_001, 77_777_777] { result.corrected.record(nanoseconds: value) }
        let read = try ReplayResult(json: result.json.bytes)
        #expect(read.corrected.minimum == 1_000_001 && read.corrected.maximum == 77_777_777)
    }

    @Test func otherProgramsFindTheUsualFigures() {
        let result = SyntheticResult.make(seed: 2, seconds: 5)
        let json = result.json
        #expect(json["corrected"]?["percentiles"]?["99.9"]?.intValue == result.corrected.quantile(0.999))
        #expect(json["failed"]?.intValue == result.failed)
        #expect(json["hit_ratio"] == .number(String(result.hitRatio ?? 0)))
    }

    /// The results of 1.0.0 have none of these members.
    @Test func resultsOfEarlierVersionsAreRead() throws {
        var json = SyntheticResult.make(seed: 1, seconds: 2).json
        for name in ["resets", "without_lag"] { json[name] = nil }
        json["verification"] = ["compared": 2, "different": 0, "listed": []]
        let result = try ReplayResult(json: json.bytes)
        #expect(result.resets == 0 && result.withoutLag == result.corrected && !result.hasLatenessOfItsOwn)
        #expect(result.verification.compared == 2 && result.verification.notCompared.isEmpty)
    }

    @Test func onlyHitsAndMissesMakeTheHitRatio() {
        var result = SyntheticResult.make(seed: 3, seconds: 1)
        result.outcomes = ["hit": 5, "composed": 2, "stale": 1, "miss": 1, "failed": 1, "bypass": 90, "unheard-of": 7]
        #expect(result.hitRatio == 0.8)
    }

    @Test func noMoreDifferencesAreListedThanTheLimitButAllAreCounted() {
        var verification = ReplayResult.Verification()
        for index in 0...ReplayResult.Verification.mostListed {
            verification.note(
                .init(index: index, method: "GET", target: "/", what: "status", expected: "200", found: "500"))
        }
        #expect(verification.different == ReplayResult.Verification.mostListed + 1)
        #expect(verification.listed.count == ReplayResult.Verification.mostListed)
    }

    /// A member, its new value (nil: take it away), and the beginning of the error.
    static let wrong: [(String, JSON?, String)] = [
        ("refrain_replay", nil, "not a result of a replay"), ("refrain_replay", 2, "version 2 of results"),
        ("file", 3, "file is not a string"), ("target", nil, "target is missing"),
        ("connections", -1, "connections is not"), ("started", "yesterday", "started is not a time"),
        ("elapsed_seconds", "12", "elapsed_seconds is not a number"), ("sent", .number("1.5"), "sent is not a whole"),
        ("sent", .number("9007199254740993000"), "sent is not a whole"), ("failures", [], "failures is not an object"),
        ("failures", ["timed out": "many"], "failures.timed out is not"),
        ("statuses", ["20": 1], "statuses.20 is not a status"), ("corrected", nil, "corrected is missing"),
        ("corrected", ["buckets": [[1, 0]]], "corrected.buckets[0] is not"),
        ("corrected", ["buckets": [[-1, 1]]], "corrected.buckets[0] is not"),
        ("corrected", ["buckets": [["x"]]], "corrected.buckets[0] is not"),
        ("lag", ["buckets": [[5, 1]]], "lag.min is missing"),
        ("lag", ["buckets": [[5, 1]], "min": 5, "max": 6], "lag.max is not in the last"),
        ("slot_seconds", 0, "slot_seconds is not above 0"), ("slots", [[]], "slots[0] is not a JSON object"),
        ("slots", [["sent": 1]], "slots[0].answered is missing"),
        (
            "verification", ["compared": 1, "different": 0, "listed": [3]],
            "verification.listed[0] is not a JSON object"
        ),
        ("invalid", true, "invalid is not a string"),
    ]

    @Test(arguments: wrong.indices)
    func whatIsWrongIsNamedByItsMember(index: Int) {
        let (name, value, expected) = Self.wrong[index]
        var json = SyntheticResult.make(seed: 4, seconds: 1).json
        json[name] = value
        let bytes = json.bytes
        let error = #expect(throws: ReplayResultError.self) { try ReplayResult(json: bytes) }
        #expect(error?.description.hasPrefix(expected) == true, "\(error?.description ?? "read")")
    }

    @Test func sumsOfHostileCountsDoNotOverflow() throws {
        var json = SyntheticResult.make(seed: 4, seconds: 1).json
        let counts = (0..<1000).map { JSONObject.Member(key: "f\($0)", value: .integer(JSON.mostCounted)) }
        json["failures"] = .object(JSONObject(members: counts))
        let result = try ReplayResult(json: json.bytes)
        #expect(result.failed == 1000 * JSON.mostCounted)
        json["corrected"] = ["buckets": [[1, .integer(JSON.mostCounted)], [2, 1]], "min": 1, "max": 2]
        let bytes = json.bytes
        #expect(throws: ReplayResultError.self) { try ReplayResult(json: bytes) }
    }

    @Test(arguments: ["", "[]", "{}", "{\"log\":{}}", "nonsense"])
    func whatIsNoResultIsCalledThat(text: String) {
        #expect(throws: ReplayResultError.self) { try ReplayResult(json: Array(text.utf8)) }
    }
}
